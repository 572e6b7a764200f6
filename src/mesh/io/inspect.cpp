// What is odd about a mesh: ranges and findings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mesh/io/mesh_file.hpp"

namespace kiln::mesh {
namespace {

/// Calls with the dat's values as a span of their own type.
template <class Visit>
void visit_values(const FileDat& dat, Visit visit) {
  with_type(dat.type, [&](auto zero) { visit(values_of<decltype(zero)>(dat)); });
}

/// Counts elements, and remembers the first.
class Counter {
 public:
  void see(std::size_t element) {
    if (count_++ == 0) first_ = static_cast<std::int64_t>(element);
  }
  void report(std::vector<Finding>& to, std::string part, std::string what) const {
    if (count_ > 0) to.push_back({std::move(part), std::move(what), count_, first_});
  }

 private:
  std::int64_t count_ = 0, first_ = 0;
};

bool repeats(std::span<const std::int32_t> targets) {
  for (std::size_t a = 1; a < targets.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (targets[a] == targets[b]) return true;
  return false;
}

void find_repeated(const FileMap& map, std::vector<Finding>& to) {
  Counter counter;
  const auto arity = static_cast<std::size_t>(map.arity);
  for (std::size_t at = 0; at < map.values.size(); at += arity)
    if (repeats({map.values.data() + at, arity})) counter.see(at / arity);
  counter.report(to, fmt::format("map {}", quote(map.name)), "elements that name a target twice");
}

void find_isolated(const MeshFile& mesh, const FileSet& set, std::vector<Finding>& to) {
  std::vector<bool> reached(static_cast<std::size_t>(set.size));
  bool is_target = false;
  for (const FileMap& map : mesh.maps) {
    if (map.to != set.name) continue;
    is_target = true;
    for (const std::int32_t target : map.values) reached[static_cast<std::size_t>(target)] = true;
  }
  if (!is_target) return;
  Counter counter;
  for (std::size_t element = 0; element < reached.size(); ++element)
    if (!reached[element]) counter.see(element);
  counter.report(to, fmt::format("set {}", quote(set.name)), "elements that no map leads to");
}

void find_not_finite(const FileDat& dat, std::vector<Finding>& to) {
  if (!is_floating(dat.type)) return;
  Counter counter;
  visit_values(dat, [&](const auto values) {
    const auto dim = static_cast<std::size_t>(dat.dim);
    for (std::size_t element = 0; element < values.size() / dim; ++element) {
      const auto own = values.subspan(element * dim, dim);
      if (!std::all_of(own.begin(), own.end(),
                       [](auto value) { return std::isfinite(static_cast<double>(value)); }))
        counter.see(element);
    }
  });
  counter.report(to, fmt::format("dat {}", quote(dat.name)),
                 "elements with a value that is not finite");
}

}  // namespace

std::optional<Range<std::int32_t>> range_of(const FileMap& map) {
  if (map.values.empty()) return std::nullopt;
  const auto [least, greatest] = std::minmax_element(map.values.begin(), map.values.end());
  return Range<std::int32_t>{*least, *greatest};
}

std::optional<Range<double>> range_of(const FileDat& dat) {
  std::optional<Range<double>> range;
  visit_values(dat, [&](const auto values) {
    for (const auto one : values) {
      const auto value = static_cast<double>(one);
      if (!std::isfinite(value)) continue;
      if (!range) range = Range<double>{value, value};
      range->least = std::min(range->least, value);
      range->greatest = std::max(range->greatest, value);
    }
  });
  return range;
}

std::vector<Finding> inspect(const MeshFile& mesh) {
  std::vector<Finding> findings;
  // First: what is odd about the rest may follow from it.
  for (const std::string& left : mesh.left_out) findings.push_back({"left out", left});
  for (const FileMap& map : mesh.maps) find_repeated(map, findings);
  for (const FileSet& set : mesh.sets) find_isolated(mesh, set, findings);
  for (const FileDat& dat : mesh.dats) find_not_finite(dat, findings);
  return findings;
}

}  // namespace kiln::mesh
