#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

namespace kiln {

/// Floating-point operations that a kernel does, counted in its text. An addition, subtraction,
/// multiplication, division and most built-in functions are one for each element of their vectors,
/// fma and mad two; conversions, comparisons and choices are none.
struct OperationCount {
  std::string kernel;
  double per_work_item = 0;
  double of_doubles = 0;  ///< among them, in double precision
  std::string reason;     ///< why they cannot be counted; empty: they were
};

/// Counts the operations of a work-item of each of `kernels`, in a text that has no #include left,
/// as build options make it. Straight control flow and loops with constant bounds are followed. A
/// test of ids and arguments that has no `else` counts as passed: it keeps work-items that have
/// nothing to do from working. What data decides is not counted, and is the reason.
/// Error: unsupported where there is no libclang. Thread-safe.
Expected<std::vector<OperationCount>> count_operations(std::string_view text,
                                                       std::string_view options,
                                                       const std::vector<std::string>& kernels);

}  // namespace kiln
