#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::blas {

/// The routines, in the order of the levels. A name that BLAS has for one precision alone stands
/// for its likes: `dot` is dotu too, `ger` is geru, `hemv` is symv of complex numbers that are
/// conjugated.
enum class Routine : std::uint8_t {
  // level 1
  swap,
  scal,
  copy,
  axpy,
  dot,
  dotc,
  rotg,
  rotmg,
  rot,
  rotm,
  nrm2,
  iamax,
  asum,
  // level 2
  gemv,
  symv,
  hemv,
  trmv,
  trsv,
  ger,
  gerc,
  syr,
  her,
  syr2,
  her2,
  tpmv,
  tpsv,
  spmv,
  hpmv,
  spr,
  hpr,
  spr2,
  hpr2,
  gbmv,
  tbmv,
  sbmv,
  hbmv,
  tbsv,
  // level 3
  gemm,
  trmm,
  trsm,
  syrk,
  syr2k,
  symm,
  hemm,
  herk,
  her2k
};
constexpr int routine_count = static_cast<int>(Routine::her2k) + 1;

/// "gemm": without the letter of the precision.
std::string_view name_of(Routine routine);

}  // namespace kiln::blas
