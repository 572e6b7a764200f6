#include <iostream>

#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

// Every routine in every precision against OpenBLAS.

namespace kiln::blas::testing {
namespace {

class CrossCheck : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!OpenBlas::get().present())
      GTEST_SKIP() << "libopenblas.so.0 is not installed (package libopenblas0-pthread)";
  }
  Library& library() { return Machine::get().library(); }
  static const Rig& rig() {
    static const Rig one;
    return one;
  }
};

TEST_P(CrossCheck, agrees_for_all_options_on_small_and_odd_sizes) {
  const auto& [routine, precision] = GetParam();
  unsigned seed = 0;
  for_each_call(routine, precision, is_long_run() ? many_sizes() : few_sizes(),
                [&](const Call& call) {
                  if (HasFailure()) return;
                  EXPECT_EQ(check(library(), rig(), call, ++seed), "");
                });
  std::cout << seed << " calls\n";
}

TEST_P(CrossCheck, agrees_for_random_options_and_larger_sizes) {
  const auto& [routine, precision] = GetParam();
  const unsigned seed = seed_of_run();
  std::cout << "KILN_TEST_SEED=" << seed << '\n';
  SCOPED_TRACE("KILN_TEST_SEED=" + std::to_string(seed));
  const std::size_t most = is_long_run() ? 1100 : 300;
  unsigned next = seed;
  for_random_calls(routine, precision, most, is_long_run() ? 100 : 8, seed, [&](const Call& call) {
    if (HasFailure()) return;
    EXPECT_EQ(check(library(), rig(), call, ++next), "");
  });
}

/// Matrices of which GPUs read whole blocks.
class LargeTriangle : public CrossCheck {};

TEST_P(LargeTriangle, agrees_for_both_halves_of_both_orders) {
  const auto& [routine, precision] = GetParam();
  const Sizes sizes{{}, {777}, {}, {}, {1}};
  unsigned seed = 0;
  for_each_call(routine, precision, sizes,
                [&](const Call& call) { EXPECT_EQ(check(library(), rig(), call, ++seed), ""); });
  EXPECT_GE(seed, 4u);
}

INSTANTIATE_TEST_SUITE_P(Level1, CrossCheck,
                         ::testing::ValuesIn(kinds(Routine::swap, Routine::asum)), name_of);
INSTANTIATE_TEST_SUITE_P(Level2, CrossCheck,
                         ::testing::ValuesIn(kinds(Routine::gemv, Routine::tbsv)), name_of);
std::vector<Kind> kinds_of_halves() {
  std::vector<Kind> all;
  for (const Routine routine : {Routine::symv, Routine::spmv, Routine::hemv, Routine::hpmv})
    for (const Kind& kind : kinds(routine, routine)) all.push_back(kind);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Level2, LargeTriangle, ::testing::ValuesIn(kinds_of_halves()), name_of);
INSTANTIATE_TEST_SUITE_P(Level3, CrossCheck,
                         ::testing::ValuesIn(kinds(Routine::gemm, Routine::her2k)), name_of);

}  // namespace
}  // namespace kiln::blas::testing

// Every routine with some of its options, for an interpreter that watches every access (oclgrind):
// small sizes of which all tiles are cut. KILN_TEST_DEVICE_TYPE chooses between the kernels for
// CPUs and those for GPUs.

namespace kiln::blas::testing {
namespace {

class Interpreted : public ::testing::TestWithParam<Kind> {};

TEST_P(Interpreted, is_right) {
  if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  // One a test, no static one: oclgrind must not be called once its thread-local state has ended.
  const Rig rig(2);
  const auto& [routine, precision] = GetParam();
  // Every so many-th call of the cross product: all values of each option, not all of their pairs.
  const std::size_t stride = is_long_run() ? 1 : 7;
  std::size_t turn = 0;
  unsigned seed = 0;
  for_each_call(routine, precision, least_sizes(), [&](const Call& call) {
    if (turn++ % stride != 0 || HasFailure()) return;
    EXPECT_EQ(check(Machine::get().library(), rig, call, ++seed), "");
  });
}

INSTANTIATE_TEST_SUITE_P(Each, Interpreted, ::testing::ValuesIn(kinds()), name_of);

}  // namespace
}  // namespace kiln::blas::testing
