#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "blas/call.hpp"

namespace kiln::blas {

/// What tuning records of BLAS kernels are kept by: calls of one class want the same Parameters,
/// but for their size. For the seven routines that clBLAS tunes it has clBLAS's words, so that its
/// records and Kiln's are of the same things.
struct ProblemClass {
  Routine routine{};
  std::uint32_t type = 0;   ///< 0 float, 1 double, 2 complex float, 3 complex double
  std::uint32_t flags = 0;  ///< clBLAS's: TRANS_A, TRANS_B, COLUMN_MAJOR, UPPER_TRIANG, SIDE_RIGHT
};

/// "gemm float TRANS_A+COLUMN_MAJOR": a Request's problem class.
std::string text_of(const ProblemClass& problem);
/// Nothing for another text.
std::optional<ProblemClass> problem_class_named(const std::string& text);

std::string problem_class_of(const Call& call);
/// The mean of a call's sizes; the number of elements for level 1.
std::int64_t problem_size_of(const Call& call);

/// clBLAS's number for a precision.
std::uint32_t kdb_type(Precision precision);
Precision precision_of_kdb_type(std::uint32_t type);

}  // namespace kiln::blas
