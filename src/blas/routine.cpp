#include <array>

#include "blas/call.hpp"

namespace kiln::blas {

std::string_view name_of(Routine routine) {
  static constexpr std::array<std::string_view, routine_count> names{
      "swap", "scal",  "copy", "axpy", "dot",  "dotc", "rotg", "rotmg", "rot",  "rotm",
      "nrm2", "iamax", "asum", "gemv", "symv", "hemv", "trmv", "trsv",  "ger",  "gerc",
      "syr",  "her",   "syr2", "her2", "tpmv", "tpsv", "spmv", "hpmv",  "spr",  "hpr",
      "spr2", "hpr2",  "gbmv", "tbmv", "sbmv", "hbmv", "tbsv", "gemm",  "trmm", "trsm",
      "syrk", "syr2k", "symm", "hemm", "herk", "her2k"};
  return names[static_cast<std::size_t>(routine)];
}

}  // namespace kiln::blas
