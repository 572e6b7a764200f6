#include <array>

#include "blas/level1/reductions.hpp"

namespace kiln::blas::testing {
namespace {

TEST(Level1Queues, the_first_of_several_does_the_work_and_has_the_event) {
  const std::size_t n = 50'000;
  auto x = OperandData<float>::vector(n, 1, 0, 1);
  auto y = OperandData<float>::vector(n, 1, 0, 2);
  Call call = vector_call<float>(Routine::copy, n);
  call[Slot::x] = x.upload();
  call[Slot::y] = y.upload();
  std::array<cl_event, 4> events{};
  ASSERT_EQ(Machine::get().library().run(call, {Machine::get().queues(4), {}, events.data()}),
            Status::success);
  ASSERT_NE(events[0], nullptr);
  EXPECT_EQ(events[1], nullptr);
  ASSERT_EQ(::clWaitForEvents(1, events.data()), CL_SUCCESS);
  ::clReleaseEvent(events[0]);
  std::copy_n(x.all().begin(), n, y.all().begin());
  EXPECT_EQ(y.download(), y.all());
}

// A second run of a sequence reuses the memory for partial results of the one before.
TEST(Level1Queues, reductions_that_follow_at_once_do_not_disturb_one_another) {
  const std::size_t n = 100'003;
  auto ones = OperandData<double>::vector(n, 1, 0, 1),
       twos = OperandData<double>::vector(n, 1, 0, 1);
  auto results = OperandData<double>::vector(2, 1, 0, 1);
  std::fill(ones.all().begin(), ones.all().end(), 1.0);
  std::fill(twos.all().begin(), twos.all().end(), 2.0);
  const Operand first = ones.upload(), second = twos.upload(), result = results.upload();
  for (int round = 0; round < 50; ++round)
    for (const std::size_t which : {0, 1}) {
      Call call = vector_call<double>(Routine::asum, n);
      call[Slot::x] = which == 0 ? first : second;
      call[Slot::z] = {result.memory, which, 0};
      ASSERT_EQ(run(call), Status::success);
    }
  const auto now = results.download();
  EXPECT_EQ(now[0], static_cast<double>(n));
  EXPECT_EQ(now[1], static_cast<double>(2 * n));
}

}  // namespace
}  // namespace kiln::blas::testing
