#pragma once

#include <functional>
#include <vector>

#include "blas/call/call.hpp"

namespace kiln::blas::testing {

/// What a routine can be asked for besides its sizes.
struct Options {
  bool order = false, side = false, uplo = false, trans_a = false, trans_b = false, diag = false;
  bool m = false, k = false, band = false;  ///< sizes besides n; kl and ku
  bool x = false, y = false;                ///< increments
  bool alpha = false, beta = false;
};
Options options_of(Routine routine);

/// Whether BLAS has the routine in this precision.
bool exists(Routine routine, Precision precision);

/// The most products that are summed up for one element of the result.
std::size_t depth_of(const Call& call);

/// The sizes that are tried: every combination of them that a routine has.
struct Sizes {
  std::vector<std::size_t> vector, level_2, level_3, bands;
  std::vector<int> increments;
  bool every_scalar = false;  ///< else the five kinds of alpha and beta in turn
};
/// Small and odd ones, around the sizes of tiles: few for every run, many for long ones.
Sizes few_sizes();
Sizes many_sizes();
/// For an interpreter: one size, of which all tiles are cut.
Sizes least_sizes();

using EachCall = std::function<void(const Call&)>;

/// The cross product of a routine's options, sizes and increments. The operands of a call have
/// increments and nothing else.
void for_each_call(Routine routine, Precision precision, const Sizes& sizes, const EachCall& each);

/// Calls with options and sizes drawn at random, sizes up to `most` (for vectors most squared).
void for_random_calls(Routine routine, Precision precision, std::size_t most, int count,
                      unsigned seed, const EachCall& each);

}  // namespace kiln::blas::testing
