#include "blas/level1/vectors.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class Rotm : public ::testing::Test {};
TYPED_TEST_SUITE(Rotm, RealPrecisions);

/// The elements of H (h11, h12, h21, h22) that a flag leaves to param.
template <class T>
std::array<T, 4> matrix_of(const std::array<T, 5>& param) {
  if (param[0] == T(-1)) return {param[1], param[3], param[2], param[4]};
  if (param[0] == T(0)) return {1, param[3], param[2], 1};
  return {param[1], 1, -1, param[4]};
}

TYPED_TEST(Rotm, applies_the_matrix_that_the_flag_describes) {
  using T = TypeParam;
  const T unread = std::numeric_limits<T>::quiet_NaN();
  const std::vector<std::array<T, 5>> cases{{-1, T(1.25), T(-0.5), T(0.75), T(2)},
                                            {0, unread, T(-0.5), T(0.75), unread},
                                            {1, T(1.25), unread, unread, T(2)}};
  for (const auto& given : cases) {
    auto param = OperandData<T>::vector(5, 1, 1, 3);
    std::copy(given.begin(), given.end(), param.all().begin() + 1);
    const Operand uploaded = param.upload();
    const auto h = matrix_of(given);
    check_pairs<T>(
        Routine::rotm, [&](Call& call) { call[Slot::z] = uploaded; },
        [&](const T& x, const T& y) {
          Sum new_x, new_y;
          new_x.add(h[0], x);
          new_x.add(h[1], y);
          new_y.add(h[2], x);
          new_y.add(h[3], y);
          return std::pair(new_x, new_y);
        });
  }
}

TYPED_TEST(Rotm, a_flag_of_minus_2_leaves_x_and_y) {
  using T = TypeParam;
  auto param = OperandData<T>::vector(5, 1, 0, 3);
  param.all()[0] = -2;
  const Operand uploaded = param.upload();
  check_pairs<T>(
      Routine::rotm, [&](Call& call) { call[Slot::z] = uploaded; },
      [](const T& x, const T& y) { return std::pair(exactly(x), exactly(y)); });
}

}  // namespace
}  // namespace kiln::blas::testing
