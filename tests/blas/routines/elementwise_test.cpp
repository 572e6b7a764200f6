#include <algorithm>
#include <array>
#include <limits>

#include "blas/routines/vectors.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Elementwise : public ::testing::Test {};
TYPED_TEST_SUITE(Elementwise, Precisions);

constexpr auto nothing_more = [](Call&) {};

TYPED_TEST(Elementwise, axpy_adds_alpha_x_to_y) {
  using T = TypeParam;
  const Scalar alpha = scalar_of<T>(1.5, -0.5);
  check_pairs<T>(
      Routine::axpy, [&](Call& call) { call.alpha = alpha; },
      [&](const T& x, const T& y) {
        Sum sum;
        sum.add(y);
        sum.add(alpha, x);
        return std::pair(exactly(x), sum);
      });
}

TYPED_TEST(Elementwise, copy_gives_y_the_bits_of_x) {
  using T = TypeParam;
  check_pairs<T>(Routine::copy, nothing_more,
                 [](const T& x, const T&) { return std::pair(exactly(x), exactly(x)); });
}

TYPED_TEST(Elementwise, swap_exchanges_x_and_y) {
  using T = TypeParam;
  check_pairs<T>(Routine::swap, nothing_more,
                 [](const T& x, const T& y) { return std::pair(exactly(y), exactly(x)); });
}

TYPED_TEST(Elementwise, rot_turns_by_real_c_and_s) {
  using T = TypeParam;
  const Scalar c(0.6), s(-0.8);
  // What a kernel is given: c and s as they are in its precision.
  const Real<T> given_c = static_cast<Real<T>>(c.real()), given_s = static_cast<Real<T>>(s.real());
  check_pairs<T>(
      Routine::rot,
      [&](Call& call) {
        call.alpha = c;
        call.beta = s;
      },
      [&](const T& x, const T& y) {
        Sum turned_x, turned_y;
        turned_x.add(given_c, x);
        turned_x.add(given_s, y);
        turned_y.add(given_c, y);
        turned_y.add(-given_s, x);
        return std::pair(turned_x, turned_y);
      });
}

TYPED_TEST(Elementwise, had_multiplies_x_and_y_and_adds_beta_z) {
  using T = TypeParam;
  const Scalar alpha = scalar_of<T>(1.5, -0.5);
  for (const Scalar& beta : {Scalar(0), Scalar(1), scalar_of<T>(-0.5, 2)})
    for (const std::size_t n : sizes)
      for (const auto& [inc_x, inc_y] : increments) {
        SCOPED_TRACE(fmt::format("n {} increments {} {}", n, inc_x, inc_y));
        auto x = OperandData<T>::vector(n, inc_x, 3, 1), y = OperandData<T>::vector(n, inc_y, 2, 2);
        auto z = OperandData<T>::vector(n, inc_x, 1, 3);
        if (beta == Scalar(0)) z.all()[z.at(n - 1)] = std::numeric_limits<Real<T>>::quiet_NaN();
        Call call = vector_call<T>(Routine::had, n);
        call.alpha = alpha;
        call.beta = beta;
        call[Slot::x] = x.upload();
        call[Slot::y] = y.upload();
        call[Slot::z] = z.upload();
        ASSERT_EQ(run(call), Status::success);
        Expected<T> expected(z);
        for (std::size_t i = 0; i < n; ++i) {
          Sum sum;
          const Wide product = Wide(x.all()[x.at(i)]) * Wide(y.all()[y.at(i)]);
          sum.add(alpha, product);
          sum.terms += 2;  // the product is rounded, too
          if (beta != Scalar(0)) sum.add(beta, z.all()[z.at(i)]);
          expected.set(z.at(i), sum);
        }
        ASSERT_EQ(expected.difference(z.download()), "");
      }
}

// A copy that is longer than the cache takes another way.
TYPED_TEST(Elementwise, a_long_copy_is_a_copy) {
  using T = TypeParam;
  const std::size_t n = (std::size_t{32} << 20) / sizeof(T) + 77;
  auto x = OperandData<T>::vector(n, 1, 1, 1);
  auto y = OperandData<T>::vector(n, 1, 3, 2);
  Call call = vector_call<T>(Routine::copy, n);
  call[Slot::x] = x.upload();
  call[Slot::y] = y.upload();
  ASSERT_EQ(run(call), Status::success);
  auto expected = y.all();
  std::copy_n(x.all().begin() + 1, n, expected.begin() + 3);
  EXPECT_TRUE(y.download() == expected);
}

template <class T>
void check_scal(const Scalar& alpha, bool real_alpha) {
  for (const std::size_t n : sizes)
    for (const int inc : {1, 2, 3}) {
      auto x = OperandData<T>::vector(n, inc, 3, 1);
      Call call = vector_call<T>(Routine::scal, n);
      call.alpha = alpha;
      call.real_alpha = real_alpha;
      call[Slot::x] = x.upload();
      ASSERT_EQ(run(call), Status::success);
      Expected<T> expected(x);
      for (std::size_t i = 0; i < n; ++i) {
        Sum sum;
        sum.add(alpha, x.all()[x.at(i)]);
        expected.set(x.at(i), sum);
      }
      ASSERT_EQ(expected.difference(x.download()), "") << n << ' ' << inc;
    }
}

TYPED_TEST(Elementwise, scal_multiplies_x_with_alpha) {
  check_scal<TypeParam>(scalar_of<TypeParam>(1.5, -0.5), false);
}

TYPED_TEST(Elementwise, scal_by_a_real_alpha_multiplies_the_parts_alone) {
  using T = TypeParam;
  check_scal<T>(Scalar(-0.75), true);
  if constexpr (!std::is_same_v<T, Real<T>>) {
    // A complex product would make the real part NaN.
    const Real<T> infinite = std::numeric_limits<Real<T>>::infinity();
    for (const int inc : {1, 2}) {
      auto x = OperandData<T>::vector(70, inc, 0, 1);
      for (auto& element : x.all()) element = {1, infinite};
      Call call = vector_call<T>(Routine::scal, 70);
      call.alpha = 2;
      call.real_alpha = true;
      call[Slot::x] = x.upload();
      ASSERT_EQ(run(call), Status::success);
      EXPECT_EQ(x.download()[x.at(69)], T(2, infinite));
    }
  }
}

TYPED_TEST(Elementwise, scal_by_zero_multiplies_and_keeps_nan) {
  using T = TypeParam;
  for (const int inc : {1, 2}) {
    auto x = OperandData<T>::vector(100, inc, 0, 1);
    x.all()[x.at(5)] = std::numeric_limits<Real<T>>::quiet_NaN();
    Call call = vector_call<T>(Routine::scal, 100);
    call.alpha = 0;
    call[Slot::x] = x.upload();
    ASSERT_EQ(run(call), Status::success);
    const auto now = x.download();
    EXPECT_EQ(now[x.at(4)], T(0));
    EXPECT_TRUE(now[x.at(5)] != now[x.at(5)]);
  }
}

TYPED_TEST(Elementwise, scal_of_a_negative_increment_changes_nothing) {
  using T = TypeParam;
  auto x = OperandData<T>::vector(100, -1, 2, 1);
  Call call = vector_call<T>(Routine::scal, 100);
  call.alpha = 3;
  call[Slot::x] = x.upload();
  ASSERT_EQ(run(call), Status::success);
  EXPECT_EQ(x.download(), x.all());
}

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
