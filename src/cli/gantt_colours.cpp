#include "cli/gantt_colours.hpp"

#include <algorithm>
#include <array>

#include "cli/gantt_categories.hpp"

namespace kiln::cli {
namespace {

/// FNV-1a: the same on every machine.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ (hash >> 32);
}

}  // namespace

KernelColours::KernelColours(const Lanes& lanes) {
  std::map<std::string, Total> found;
  for (const auto& lane : lanes.lanes)
    for (const auto& row : lane.rows)
      for (const auto& span : row)
        if (span.category == "kernel") {
          Total& total = found[span.name];
          ++total.count;
          total.ns += span.end_ns - span.start_ns;
        }
  // Each gets its name's own colour where that is free; the others then get what is left. More
  // kernels than colours have to share.
  std::array<bool, kernel_colours> taken{};
  std::vector<std::string> late;
  for (auto& [name, total] : found) {
    const std::size_t slot = hash_of(name) % kernel_colours;
    if (taken[slot] && found.size() <= kernel_colours)
      late.push_back(name);
    else
      slots_.emplace(name, slot);
    taken[slot] = true;
    total.name = name;
    totals_.push_back(total);
  }
  for (const std::string& name : late) {
    std::size_t slot = hash_of(name) % kernel_colours;
    while (taken[slot]) slot = (slot + 1) % kernel_colours;
    taken[slot] = true;
    slots_.emplace(name, slot);
  }
  std::stable_sort(totals_.begin(), totals_.end(),
                   [](const Total& a, const Total& b) { return a.ns > b.ns; });
}

std::string KernelColours::class_of(const TraceEvent& span) const {
  return span.category == "kernel" ? class_of_kernel(span.name)
                                   : std::string(style_class(span.category));
}

std::string KernelColours::class_of_kernel(const std::string& name) const {
  if (slots_.size() < 2) return "kernel";
  return "kernel n" + std::to_string(slots_.at(name));
}

}  // namespace kiln::cli
