#pragma once

#include <clBLAS.h>

#include <string_view>
#include <vector>

namespace clblas_test {

/// What a call of any routine is made with: one set of operands for all, of which each routine
/// takes its own. Column-major, with leading dimensions and increments that fit.
struct Operands {
  size_t n = 8, k = 2, ld = 8;
  cl_mem a = nullptr, b = nullptr, c = nullptr, x = nullptr, y = nullptr, z = nullptr, w = nullptr;
  int inc = 1;
  clblasTranspose trans = clblasNoTrans;
  cl_uint queue_count = 1;
  cl_command_queue* queues = nullptr;
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* events = nullptr;
};

/// A routine of each family that the C interface has, in one of its precisions.
struct Family {
  const char* name;
  size_t element;  ///< bytes
  clblasStatus (*call)(const Operands&);
  /// What it says where all buffers are null, and where they are too small.
  clblasStatus absent, small;
  bool has_ld, has_inc;
};

/// Whether a piece of text is in another one.
constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// One routine of every family, in the order of the levels.
const std::vector<Family>& families();

}  // namespace clblas_test
