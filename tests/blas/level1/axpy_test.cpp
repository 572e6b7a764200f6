#include "blas/expected.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Axpy : public ::testing::Test {};
using Precisions = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Axpy, Precisions);

TYPED_TEST(Axpy, adds_alpha_x_to_y) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 7, 64, 1000, 40'001})
    for (const int inc_x : {1, 3, -2})
      for (const int inc_y : {1, -1, 2}) {
        auto x = OperandData<T>::vector(n, inc_x, 3, 1);
        auto y = OperandData<T>::vector(n, inc_y, 2, 2);
        Call call;
        call.routine = Routine::axpy;
        call.precision = precision_of<T>;
        call.n = n;
        call.alpha = is_complex(call.precision) ? Scalar(1.5, -0.5) : Scalar(-0.75);
        call[Slot::x] = x.upload();
        call[Slot::y] = y.upload();
        ASSERT_EQ(Machine::get().library().run(call, {Machine::get().queues()}), Status::success);
        Expected<T> expected(y);
        for (std::size_t i = 0; i < n; ++i) {
          Sum sum;
          sum.add(y.all()[y.at(i)]);
          sum.add(call.alpha, x.all()[x.at(i)]);
          expected.set(y.at(i), sum);
        }
        EXPECT_EQ(expected.difference(y.download()), "") << n << ' ' << inc_x << ' ' << inc_y;
        EXPECT_EQ(x.download(), x.all());
      }
}

}  // namespace
}  // namespace kiln::blas::testing
