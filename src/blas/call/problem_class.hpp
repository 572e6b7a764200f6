#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blas/call/call.hpp"

// Which calls share tuned Parameters, and which classes are near enough to borrow from.
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

/// Problem classes of the same precision whose Parameters are good for a class, too, the nearest
/// first, at most five:
///
/// - the twin: a call by rows is one by columns with its factors exchanged, and the same kernels;
/// - of gemm the other transpositions, since products pack their factors and differ in nothing
///   else;
/// - for what is a product underneath (symm, hemm, syrk, herk, syr2k, her2k, trmm) its twin and
///   gemm.
///
/// Triangular solves have none but their twin: a solve's best tiles are not a product's.
std::vector<std::string> classes_like(const std::string& problem_class);

}  // namespace kiln::blas
