#pragma once

#include <string>
#include <tuple>

#include "blas/call/call.hpp"
#include "blas/sweep/options.hpp"
#include "blas/sweep/rig.hpp"

namespace kiln::blas::testing {

/// A routine in a precision: what a test of the sweep is about.
using Kind = std::tuple<Routine, Precision>;
/// All that BLAS has, from one routine to another.
std::vector<Kind> kinds(Routine first = Routine::swap, Routine last = Routine::her2k);
/// "zgemm".
std::string name_of(const ::testing::TestParamInfo<Kind>& info);

/// Whether all of the sweep is wanted (`./dev test --long`) or the part that fits every run.
bool is_long_run();
/// KILN_TEST_SEED, else another one each time; tests print it.
unsigned seed_of_run();

/// How a call is run.
enum class Manner { plainly, between_events };
/// Runs one call on a rig and holds it against OpenBLAS. The difference, with the call; else empty.
std::string check(Library& library, const Rig& rig, const Call& call, unsigned seed,
                  Manner manner = Manner::plainly);

/// "zgemm order 1 …": a call in words, sizes and increments included.
std::string words_of(const Call& call);

}  // namespace kiln::blas::testing
