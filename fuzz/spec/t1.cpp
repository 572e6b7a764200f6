// The reader of tuning problems on arbitrary bytes: one line of error, or a kernel that can be
// bound or says why not, and arrays that can be filled or say why not.
#include "spec/t1/t1.hpp"

#include <cstdlib>
#include <string_view>

using namespace kiln;
using namespace kiln::spec;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
bool ok_or_one_line(const Expected<T>& result) {
  require(result.has_value() || result.error().message().find('\n') == std::string::npos);
  return result.has_value();
}

/// The first value of each parameter.
BoundSpec bind_first(T1Problem problem) {
  std::vector<std::int64_t> values;
  for (const auto& parameter : problem.parameters)
    values.push_back(std::get<std::int64_t>(parameter.values.front().data()));
  set_untuned_values(problem, values);
  const auto bound = bind(problem.spec);
  return ok_or_one_line(bound) ? *bound : BoundSpec{};
}

/// Few elements: how many there are changes nothing that could be wrong. No files: a fuzzer's names
/// are not to be opened.
void fill_some(const Fill& fill, const Type& type) {
  if (fill.how == Fill::How::file) return;
  std::vector<std::byte> memory(3 * type.bytes());
  ok_or_one_line(fill_array(fill, type, 1, memory));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto problem = read_t1(text, "p.json");
  if (!ok_or_one_line(problem)) return 0;
  for (const auto& parameter : problem->parameters) require(!parameter.values.empty());
  const auto bound = bind_first(*problem);
  require(problem->fills.size() == problem->spec.buffers.size());
  for (std::size_t i = 0; i < problem->fills.size(); ++i) {
    require(problem->fills[i].position == problem->spec.buffers[i].position);
    fill_some(problem->fills[i], problem->spec.buffers[i].type);
  }
  for (const auto& argument : bound.arguments) require(argument.bytes > 0);
  return 0;
}
