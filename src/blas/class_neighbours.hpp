#pragma once

#include <string>
#include <vector>

namespace kiln::blas {

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
