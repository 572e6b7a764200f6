// The routines of level 1 by the C++ interface, each in all of its precisions.
#include "blas/api/operands.hpp"
#include "blas/routines/vectors.hpp"

namespace kiln::blas::testing::level1 {
namespace {

constexpr std::size_t n = 67;

template <class T>
class ApiLevel1 : public ::testing::Test {
 protected:
  OperandData<T> x_ = OperandData<T>::vector(n, 2, 3, 1), y_ = OperandData<T>::vector(n, -1, 2, 2);
  Vector x() { return as_vector(x_.upload()); }
  Vector y() { return as_vector(y_.upload()); }
  const T& x(std::size_t i) const { return x_.all()[x_.at(i)]; }
  const T& y(std::size_t i) const { return y_.all()[y_.at(i)]; }

  /// Runs a call and compares both vectors with expect(i): a pair of Sums.
  template <class Expect>
  void check(const Call& call, Expect expect) {
    run_public(call);
    Expected<T> expected_x(x_), expected_y(y_);
    for (std::size_t i = 0; i < n; ++i) {
      const auto [sum_x, sum_y] = expect(i);
      expected_x.set(x_.at(i), sum_x);
      expected_y.set(y_.at(i), sum_y);
    }
    EXPECT_EQ(expected_x.difference(x_.download()), "");
    EXPECT_EQ(expected_y.difference(y_.download()), "");
  }
  /// The result of a routine that leaves one, at an offset.
  template <class R, class Describe>
  static R result(Describe describe) {
    auto memory = OperandData<double>::vector(8, 1, 0, 3);
    const Block block(memory.upload().memory, 1);
    run_public(describe(block));
    const auto now = memory.download();
    R value{};
    std::memcpy(&value, reinterpret_cast<const char*>(now.data()) + sizeof(R), sizeof value);
    return value;
  }
};
TYPED_TEST_SUITE(ApiLevel1, Precisions);

TYPED_TEST(ApiLevel1, swap) {
  const auto call = blas::swap<TypeParam>(n, this->x(), this->y());
  this->check(call, [&](auto i) { return std::pair(exactly(this->y(i)), exactly(this->x(i))); });
}

TYPED_TEST(ApiLevel1, copy) {
  const auto call = blas::copy<TypeParam>(n, this->x(), this->y());
  this->check(call, [&](auto i) { return std::pair(exactly(this->x(i)), exactly(this->x(i))); });
}

TYPED_TEST(ApiLevel1, axpy) {
  const auto alpha = number<TypeParam>(1.5, -0.5);
  const auto call = blas::axpy(n, alpha, this->x(), this->y());
  this->check(call, [&](auto i) {
    Sum sum;
    sum.add(alpha, this->x(i));
    sum.add(this->y(i));
    return std::pair(exactly(this->x(i)), sum);
  });
}

TYPED_TEST(ApiLevel1, scal) {
  const auto alpha = number<TypeParam>(1.5, -0.5);
  (void)this->y();
  this->check(blas::scal(n, alpha, this->x()), [&](auto i) {
    Sum sum;
    sum.add(alpha, this->x(i));
    return std::pair(sum, exactly(this->y(i)));
  });
}

TYPED_TEST(ApiLevel1, scal_by_a_real_number) {
  using R = Real<TypeParam>;
  const auto call = blas::scal<TypeParam>(n, R(0.75), this->x());
  EXPECT_EQ(call.real_alpha, is_complex(precision_of<TypeParam>));
  (void)this->y();
  this->check(call, [&](auto i) {
    Sum sum;
    sum.add(R(0.75), this->x(i));
    return std::pair(sum, exactly(this->y(i)));
  });
}

TYPED_TEST(ApiLevel1, rot) {
  using R = Real<TypeParam>;
  const R c = R(0.6), s = R(-0.8);
  this->check(blas::rot<TypeParam>(n, this->x(), this->y(), c, s), [&](auto i) {
    Sum turned_x, turned_y;
    turned_x.add(c, this->x(i));
    turned_x.add(s, this->y(i));
    turned_y.add(c, this->y(i));
    turned_y.add(-s, this->x(i));
    return std::pair(turned_x, turned_y);
  });
}

TYPED_TEST(ApiLevel1, dot) {
  const auto result = this->template result<TypeParam>(
      [&](Block to) { return blas::dot<TypeParam>(n, this->x(), this->y(), to); });
  Sum sum;
  for (std::size_t i = 0; i < n; ++i) sum.add(this->x(i), this->y(i));
  EXPECT_TRUE(is_near(result, sum));
}

TYPED_TEST(ApiLevel1, dotc) {
  if constexpr (!std::is_same_v<TypeParam, Real<TypeParam>>) {
    const auto result = this->template result<TypeParam>(
        [&](Block to) { return blas::dotc<TypeParam>(n, this->x(), this->y(), to); });
    Sum sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(std::conj(this->x(i)), this->y(i));
    EXPECT_TRUE(is_near(result, sum));
  }
}

TYPED_TEST(ApiLevel1, nrm2) {
  using R = Real<TypeParam>;
  const R result =
      this->template result<R>([&](Block to) { return blas::nrm2<TypeParam>(n, this->x(), to); });
  Sum squares;
  for (std::size_t i = 0; i < n; ++i) squares.add(std::norm(Wide(this->x(i))));
  Sum norm = squares;
  norm.value = std::sqrt(squares.value);
  norm.magnitude = norm.value.real();
  EXPECT_TRUE(is_near(result, norm)) << result;
}

TYPED_TEST(ApiLevel1, asum) {
  using R = Real<TypeParam>;
  const R result =
      this->template result<R>([&](Block to) { return blas::asum<TypeParam>(n, this->x(), to); });
  Sum sum;
  for (std::size_t i = 0; i < n; ++i) {
    sum.add(std::abs(std::real(this->x(i))));
    sum.add(std::abs(std::imag(this->x(i))));
  }
  EXPECT_TRUE(is_near(result, sum)) << result;
}

TYPED_TEST(ApiLevel1, iamax) {
  this->x_.all()[this->x_.at(41)] = number<TypeParam>(-3, 2);
  EXPECT_EQ(this->template result<cl_uint>(
                [&](Block to) { return blas::iamax<TypeParam>(n, this->x(), to); }),
            42u);
}

TYPED_TEST(ApiLevel1, rotg) {
  using T = TypeParam;
  using R = Real<T>;
  const T a = number<T>(1.25, -0.5), b = number<T>(-0.75, 2);
  auto scalars = OperandData<T>::vector(3, 1, 0, 1);
  scalars.all()[0] = a;
  scalars.all()[1] = b;
  auto cosine = OperandData<R>::vector(1, 1, 1, 1);
  const cl_mem memory = scalars.upload().memory;
  run_public(blas::rotg<T>({memory, 0}, {memory, 1}, as_block(cosine.upload()), {memory, 2}));
  const auto now = scalars.download();
  const Wide c(cosine.download()[1]), s(now[2]);
  const long double tolerance = 16 * std::numeric_limits<R>::epsilon();
  EXPECT_LE(std::abs(c * Wide(a) + s * Wide(b) - Wide(now[0])), tolerance * 4);
  EXPECT_LE(std::abs(c * Wide(b) - std::conj(s) * Wide(a)), tolerance * 4);
}

/// H as (h11, h12, h21, h22).
template <class T>
std::array<T, 4> matrix_of(const std::vector<T>& memory, std::size_t at) {
  if (memory[at] == T(-1)) return {memory[at + 1], memory[at + 3], memory[at + 2], memory[at + 4]};
  if (memory[at] == T(0)) return {1, memory[at + 3], memory[at + 2], 1};
  return {memory[at + 1], 1, -1, memory[at + 4]};
}

template <class T>
class ApiModifiedRotations : public ApiLevel1<T> {};
TYPED_TEST_SUITE(ApiModifiedRotations, RealPrecisions);

// One makes the rotation, the other applies it: to the point of the first it does what it is for.
TYPED_TEST(ApiModifiedRotations, rotmg_and_rotm) {
  using T = TypeParam;
  auto data = OperandData<T>::vector(9, 1, 0, 1);
  const T x1 = T(0.5), y1 = T(0.25);
  std::copy_n(std::array<T, 4>{2, 3, x1, y1}.begin(), 4, data.all().begin());
  const cl_mem m = data.upload().memory;
  run_public(blas::rotmg<T>({m, 0}, {m, 1}, {m, 2}, {m, 3}, {m, 4}));
  const auto made = data.download();
  const auto h = matrix_of(made, 4);
  EXPECT_NEAR(h[0] * x1 + h[1] * y1, made[2], 1e-6);
  EXPECT_NEAR(h[2] * x1 + h[3] * y1, 0, 1e-6);
  this->check(blas::rotm<T>(n, this->x(), this->y(), {m, 4}), [&](auto i) {
    Sum new_x, new_y;
    new_x.add(h[0], this->x(i));
    new_x.add(h[1], this->y(i));
    new_y.add(h[2], this->x(i));
    new_y.add(h[3], this->y(i));
    return std::pair(new_x, new_y);
  });
}

}  // namespace
}  // namespace kiln::blas::testing::level1
