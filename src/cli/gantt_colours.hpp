#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/gantt_lanes.hpp"

namespace kiln::cli {

/// The kernels of a timeline, and the colour that tells each from the others. A name keeps its
/// colour from run to run as long as no other kernel has the same one by its name.
class KernelColours {
 public:
  struct Total {
    std::string name;
    std::size_t count = 0;
    std::int64_t ns = 0;
  };

  explicit KernelColours(const Lanes& lanes);

  /// The style class of a span: its category's, for kernels with that of the name behind it, where
  /// there are several.
  std::string class_of(const TraceEvent& span) const;
  std::string class_of_kernel(const std::string& name) const;
  /// What took longest first.
  const std::vector<Total>& totals() const { return totals_; }

 private:
  std::vector<Total> totals_;
  std::map<std::string, std::size_t> slots_;
};

/// So many colours the style sheet has: classes n0, n1, …
inline constexpr std::size_t kernel_colours = 12;

}  // namespace kiln::cli
