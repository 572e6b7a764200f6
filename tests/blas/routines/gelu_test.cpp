#include <cmath>
#include <cstring>

#include "blas/routines/level3.hpp"

// GELU of floats on CPUs, whose error function is an approximation (templates/epilogue.cl).
namespace kiln::blas::testing {
namespace {

/// GELU of values, by way of their products with ones. Nine columns: fewer have other kernels.
std::vector<float> gelu_of(const std::vector<float>& values) {
  constexpr std::size_t width = 9;
  auto a = OperandData<float>::matrix(values.size(), 1, values.size(), 0, 1);
  auto b = OperandData<float>::matrix(1, width, 1, 0, 2);
  auto c = OperandData<float>::matrix(values.size(), width, values.size(), 0, 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    a.all()[a.at(Order::column_major, i, 0)] = values[i];
  for (std::size_t j = 0; j < width; ++j) b.all()[b.at(Order::column_major, 0, j)] = 1;
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::s;
  call.m = values.size();
  call.n = width;
  call.k = 1;
  call.beta = 0;
  call.epilogue.activation = Activation::gelu;
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  EXPECT_EQ(run(call, 1), Status::success);
  const std::vector<float> all = c.download();
  std::vector<float> results(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    results[i] = all[c.at(Order::column_major, i, width - 1)];
  return results;
}

// erf is within 2^-22 of itself, and 1 + erf, its half and the product with x are rounded.
TEST(Gelu, is_as_exact_as_it_says) {
  std::vector<float> values;
  for (int i = -120'000; i <= 120'000; ++i) values.push_back(static_cast<float>(i) / 16'384);
  for (float x = 1; x > 1e-30F; x *= 0.9F) values.insert(values.end(), {x, -x});
  const auto results = gelu_of(values);
  const double unit = std::ldexp(1.0, -24);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], error = std::erf(x / std::sqrt(2.0));
    const double exact = x / 2 * (1 + error);
    // The argument of erf is rounded, too: its slope times its size is below 0.5.
    const double bound = std::abs(x) / 2 * (4 * unit * std::abs(error) + 2 * unit * 0.5 + unit) +
                         2 * unit * std::abs(exact);
    ASSERT_NEAR(results[i], exact, bound) << x;
  }
}

TEST(Gelu, follows_its_formula_at_the_ends) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), most = 3e38F;
  // The last element of a tile, and one of a tile that is not whole, go through other code.
  std::vector<float> values(45, 0.0F);
  values[0] = values[40] = infinity;
  values[1] = values[41] = -infinity;
  values[2] = values[42] = std::numeric_limits<float>::quiet_NaN();
  values[3] = values[43] = most;
  values[4] = values[44] = -most;
  const auto results = gelu_of(values);
  for (const std::size_t at : {0, 40}) {
    EXPECT_EQ(results[at], infinity);
    EXPECT_TRUE(std::isnan(results[at + 1]));
    EXPECT_TRUE(std::isnan(results[at + 2]));
    EXPECT_EQ(results[at + 3], most);
    EXPECT_EQ(results[at + 4], 0);
  }
  EXPECT_EQ(results[20], 0);
}

}  // namespace
}  // namespace kiln::blas::testing
