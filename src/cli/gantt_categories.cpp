#include "cli/gantt_categories.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace kiln::cli {
namespace {
constexpr std::array<std::string_view, 7> known{"lookup", "compile", "plan", "write",
                                                "kernel", "read",    "merge"};
}  // namespace

std::vector<std::string> categories_in(const Lanes& lanes) {
  std::set<std::string> found;
  for (const auto& lane : lanes.lanes)
    for (const auto& row : lane.rows)
      for (const auto& span : row) found.insert(span.category);
  std::vector<std::string> result;
  for (const auto name : known)
    if (const auto node = found.extract(std::string(name))) result.push_back(node.value());
  result.insert(result.end(), found.begin(), found.end());
  return result;
}

std::string_view style_class(std::string_view category) {
  return std::find(known.begin(), known.end(), category) != known.end() ? category : "other";
}

}  // namespace kiln::cli
