#include "spec/binder.hpp"
#include "spec/json_tree.hpp"

namespace kiln::spec {
namespace {

constexpr std::uint64_t most_work_items = std::uint64_t{1} << 40;

/// Division instead of multiplication: the product of three large sizes wraps around.
bool too_many(const std::vector<std::uint64_t>& global) {
  std::uint64_t product = 1;
  for (const auto size : global) {
    if (size > most_work_items / product) return true;
    product *= size;
  }
  return false;
}

}  // namespace

// The number of dimensions is checked here again: a list's length may hang on symbols.
void Binder::bind_global(BoundSpec& bound) {
  const Formula& formula = spec_.global_work_size;
  const auto value = evaluate(formula, Position::geometry);
  auto global = value ? sizes(formula, *value) : std::nullopt;
  if (!global) return;
  if (global->size() != static_cast<std::size_t>(spec_.work_dimension)) {
    problem(formula, "found " + std::to_string(global->size()) + " dimensions, expected " +
                         std::to_string(spec_.work_dimension) + " as workDimension says");
  } else if (too_many(*global)) {
    problem(formula,
            "found " + value->text() + with_values(formula) + ", expected at most 2^40 work-items");
  } else {
    bound.global = *std::move(global);
  }
}

/// The graph format's symbol `localWorkSize` stands for the whole attribute: a number counts in
/// every dimension.
std::optional<std::vector<std::uint64_t>> Binder::local_sizes(std::size_t dimensions) {
  const auto symbol = symbols_.find("localWorkSize");
  if (spec_.dialect == SpecDialect::concurrent && symbol != symbols_.end()) {
    const Formula given{symbol->second.text(), std::nullopt, symbol->second, 0, "localWorkSize"};
    auto local = sizes(given, symbol->second);
    if (local && !symbol->second.is_list()) local->assign(dimensions, local->front());
    return local;
  }
  const auto value = evaluate(*spec_.local_work_size, Position::geometry);
  return value ? sizes(*spec_.local_work_size, *value) : std::nullopt;
}

// OpenCL 1.2 requires groups that divide the range. Without this check the driver says only
// "invalid work group size".
void Binder::bind_local(BoundSpec& bound) {
  const bool by_symbol =
      spec_.dialect == SpecDialect::concurrent && symbols_.count("localWorkSize") != 0;
  if (!by_symbol && !spec_.local_work_size) {
    bound.local = default_local_size(bound.global);
    bound.local_is_default = true;
    return;
  }
  auto local = local_sizes(bound.global.size());
  if (!local || bound.global.empty()) return;
  const Formula& formula = spec_.local_work_size ? *spec_.local_work_size : spec_.global_work_size;
  if (local->size() != bound.global.size()) {
    problem(formula, "found " + std::to_string(local->size()) +
                         " dimensions in localWorkSize, expected " +
                         std::to_string(bound.global.size()) + " as in globalWorkSize");
    return;
  }
  for (std::size_t i = 0; i < local->size(); ++i) {
    if (bound.global[i] % (*local)[i] == 0) continue;
    // Which of the two is at fault nobody knows; the default counts if either hangs on it.
    problem(formula, "found " + std::to_string((*local)[i]) + " work-items a group in dimension " +
                         std::to_string(i) + with_values(formula) +
                         ", expected a divisor of the global size " +
                         std::to_string(bound.global[i]));
    problems_.back().by_default |= uses_default(spec_.global_work_size);
  }
  bound.local = *std::move(local);
}

}  // namespace kiln::spec
