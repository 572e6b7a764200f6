// Every routine with some of its options, for an interpreter that watches every access (oclgrind):
// small sizes of which all tiles are cut. KILN_TEST_DEVICE_TYPE chooses between the kernels for
// CPUs and those for GPUs.
#include "blas/sweep/openblas.hpp"
#include "blas/sweep/sweep.hpp"

namespace kiln::blas::testing {
namespace {

class Interpreted : public ::testing::TestWithParam<Kind> {};

TEST_P(Interpreted, is_right) {
  if (!OpenBlas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  static const Rig rig(2);
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
