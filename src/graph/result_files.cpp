#include "graph/result_files.hpp"

#include "graph/loaded_file.hpp"
#include "spec/run/arrays.hpp"

namespace kiln::graph {
namespace {

const spec::BoundArgument& argument_of(const LoadedFile& loaded,
                                       const std::pair<std::int64_t, std::uint32_t>& end) {
  const auto& state = loaded.state();
  return state.kernels[state.number_of.at(end.first)]->bound.arguments[end.second];
}

}  // namespace

void save_result(const LoadedFile& loaded, const GraphPlan& plan,
                 const std::pair<std::int64_t, std::uint32_t>& end,
                 const std::filesystem::path& file) {
  const auto bytes = plan.result(end.first, end.second);
  value_or_throw(spec::save_npy(argument_of(loaded, end), bytes, file));
}

std::string compare_result(const LoadedFile& loaded, const GraphPlan& plan,
                           const std::pair<std::int64_t, std::uint32_t>& end,
                           const std::filesystem::path& file, double rtol) {
  const auto bytes = plan.result(end.first, end.second);
  return value_or_throw(spec::compare_with_npy(argument_of(loaded, end), bytes, file, rtol));
}

}  // namespace kiln::graph
