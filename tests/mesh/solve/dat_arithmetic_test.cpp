// Arithmetic of Dats, against plain C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "mesh/matrix/reference.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

template <class Left, class Right>
struct Types {
  using L = Left;
  using R = Right;
};

/// 300 elements of 3 components, of any two types and layouts.
template <class Pair>
class DatArithmetic : public ::testing::Test {
 public:
  using L = typename Pair::L;
  using R = typename Pair::R;
  static constexpr std::size_t size = 300, dim = 3;
  static std::vector<L> left() {
    std::vector<L> values;
    for (std::size_t i = 0; i < size * dim; ++i) values.push_back(static_cast<L>(2 * (i % 23) + 1));
    return values;
  }
  static std::vector<R> right() {
    std::vector<R> values;
    for (std::size_t i = 0; i < size * dim; ++i) values.push_back(static_cast<R>(i % 7 + 1));
    return values;
  }
  /// What C gives for each component.
  template <class Operation>
  static std::vector<L> expected(const Operation& operation) {
    auto values = left();
    const auto other = right();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<L>(operation(values[i], other[i]));
    return values;
  }
  std::vector<L> now() const {
    const auto values = a.template read<L>();
    return {values.begin(), values.end()};
  }
  void reset() { std::ranges::copy(left(), a.template write<L>().begin()); }

  // One Mesh for all tests of a pair: each program is compiled once.
  static void SetUpTestSuite() { shared = std::make_unique<Mesh>(without_store()); }
  static void TearDownTestSuite() { shared.reset(); }
  static inline std::unique_ptr<Mesh> shared;

  Mesh& mesh = *shared;
  Set set = mesh.set("points", size);
  Dat a = mesh.dat<L>("a", set, dim, left()),
      b = mesh.dat<R>("b", set, dim, right(), DataLayout::soa);
};
using AllPairs =
    ::testing::Types<Types<double, double>, Types<float, double>, Types<std::int32_t, double>,
                     Types<double, std::int32_t>, Types<std::int64_t, std::uint8_t>>;
TYPED_TEST_SUITE(DatArithmetic, AllPairs);

TYPED_TEST(DatArithmetic, by_dats_gives_what_c_gives_in_the_left_type) {
  this->a += this->b;
  EXPECT_EQ(this->now(), this->expected([](auto x, auto y) { return x + y; }));
  this->reset();
  this->a -= this->b;
  EXPECT_EQ(this->now(), this->expected([](auto x, auto y) { return x - y; }));
  this->reset();
  this->a *= this->b;
  EXPECT_EQ(this->now(), this->expected([](auto x, auto y) { return x * y; }));
  this->reset();
  this->a /= this->b;
  const auto expected = this->expected([](auto x, auto y) { return x / y; });
  const auto now = this->now();
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_NEAR(static_cast<double>(now[i]), static_cast<double>(expected[i]), 1e-5);
}

TYPED_TEST(DatArithmetic, by_scalars_takes_their_last_value_each_time) {
  using T = typename TestFixture::L;
  this->a += 1;
  this->a += 2;
  this->a *= 3;
  this->a -= 4.0;
  EXPECT_EQ(this->now(),
            this->expected([](auto x, auto) { return static_cast<T>((x + 3) * 3 - 4); }));
  this->a.fill(12);
  this->a /= 4;
  EXPECT_THAT(this->now(), Each(T{3}));
  this->a.zero();
  EXPECT_THAT(this->now(), Each(T{0}));
}

TYPED_TEST(DatArithmetic, makes_new_dats_like_the_left_one) {
  using T = typename TestFixture::L;
  const Dat sum = this->a + this->b;
  const auto values = sum.template read<T>();
  EXPECT_THAT(values, ElementsAreArray(this->expected([](auto x, auto y) { return x + y; })));
  const Dat minus = -this->a;
  EXPECT_EQ(minus.type(), this->a.type());
  EXPECT_EQ(static_cast<double>(minus.template read<T>()[5]),
            -static_cast<double>(this->left()[5]));
  EXPECT_EQ(this->now(), this->left());
  EXPECT_THAT((this->a - this->b).template read<T>(),
              ElementsAreArray(this->expected([](auto x, auto y) { return x - y; })));
  EXPECT_THAT((this->a * this->b).template read<T>(),
              ElementsAreArray(this->expected([](auto x, auto y) { return x * y; })));
}

TYPED_TEST(DatArithmetic, copies_adds_multiples_and_sums_up) {
  using T = typename TestFixture::L;
  double inner = 0, squares = 0;
  const auto left = this->left();
  const auto right = this->right();
  for (std::size_t i = 0; i < left.size(); ++i) {
    inner += static_cast<double>(left[i]) * static_cast<double>(right[i]);
    squares += static_cast<double>(left[i]) * static_cast<double>(left[i]);
  }
  EXPECT_NEAR(this->a.inner(this->b), inner, 1e-5 * inner);
  EXPECT_NEAR(this->a.norm(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
  EXPECT_EQ(this->a.inner(this->b), this->a.inner(this->b));
  this->a.axpy(2, this->b);
  EXPECT_EQ(this->now(), this->expected([](auto x, auto y) { return x + 2 * y; }));
  this->b.copy(this->a);
  EXPECT_EQ(this->now(), this->expected([](auto, auto y) { return static_cast<T>(y); }));
  const Subset some = this->set.subset(std::vector<std::int32_t>{0, 5});
  this->a.zero(some);
  auto expected = this->expected([](auto, auto y) { return static_cast<T>(y); });
  for (const std::size_t element : {0u, 5u})
    for (std::size_t k = 0; k < 3; ++k) expected[element * 3 + k] = 0;
  EXPECT_EQ(this->now(), expected);
  this->b.copy(this->a, some);
  EXPECT_EQ(this->now(), this->expected([](auto, auto y) { return static_cast<T>(y); }));
}

struct Points {
  Mesh mesh{without_store()};
  Set set = mesh.set("points", {2, 3, 4, 5});
};

TEST(DatArithmeticOf, itself_is_well_defined) {
  Points p;
  Dat a = p.mesh.dat<double>("a", p.set, 1, std::vector<double>{1, 2, 3, 4, 5});
  a += a;
  a.copy(a);
  EXPECT_THAT(a.read<double>(), ElementsAre(2, 4, 6, 4, 5));
  a -= a;
  EXPECT_THAT(a.read<double>(), ElementsAre(0, 0, 0, 4, 5));
}

TEST(DatArithmeticOf, distributed_sets_covers_owned_elements_and_fills_all) {
  Points p;
  Dat a = p.mesh.dat<double>("a", p.set, 1, std::vector<double>{3, 4, 12, 1e9, 1e9});
  EXPECT_EQ(a.norm(), 13);
  EXPECT_EQ(a.inner(a), 169);
  a *= 2;
  EXPECT_THAT(a.read<double>(), ElementsAre(6, 8, 24, 1e9, 1e9));
  a += 1;  // waits
  a.fill(7);
  EXPECT_THAT(a.read<double>(), Each(7.0));
  Dat whole = p.mesh.dat<std::int64_t>("w", p.set, 2);
  whole.fill((std::int64_t{1} << 62) + 1);
  EXPECT_THAT(whole.read<std::int64_t>(), Each((std::int64_t{1} << 62) + 1));
}

TEST(DatArithmeticOf, integers_without_a_quotient_does_not_end_the_process) {
  Points p;
  const int least = std::numeric_limits<int>::min();
  Dat a = p.mesh.dat<int>("a", p.set, 1, std::vector<int>{5, least, 6, 0, 0});
  const Dat b = p.mesh.dat<int>("b", p.set, 1, std::vector<int>{0, -1, -1, 0, 0});
  a /= b;
  EXPECT_THAT(a.read<int>(), ElementsAre(0, least, -6, 0, 0));
  a /= 0;
  EXPECT_THAT(a.read<int>(), ElementsAre(0, 0, 0, 0, 0));
}

TEST(DatArithmeticOf, very_large_and_small_numbers_has_a_norm) {
  Points p;
  const auto norm = [&](std::vector<double> values) {
    values.resize(5);
    return p.mesh.dat<double>("a", p.set, 1, values).norm();
  };
  EXPECT_DOUBLE_EQ(norm({3e200, 4e200, 0}), 5e200);
  EXPECT_DOUBLE_EQ(norm({3e-200, 4e-200, 0}), 5e-200);
  EXPECT_EQ(norm({0, 0, 0}), 0);
  EXPECT_EQ(norm({1, std::numeric_limits<double>::infinity(), 0}),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(norm({1, std::nan(""), 0})));
  const Dat single = p.mesh.dat<float>("f", p.set, 1, std::vector<float>{3e30f, 4e30f, 0, 0, 0});
  EXPECT_FLOAT_EQ(static_cast<float>(single.norm()), 5e30f);
}

TEST(DatArithmeticOf, dats_that_differ_is_refused) {
  Points p;
  Mesh stranger(without_store());
  const Set other = p.mesh.set("others", 3);
  Dat a = p.mesh.dat<double>("a", p.set, 1);
  const auto error_of = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(error_of([&] { a += p.mesh.dat<double>("b", p.set, 2); }),
              HasSubstr("dat a: dat b has 2 components, expected 1"));
  EXPECT_THAT(error_of([&] { a.axpy(1, p.mesh.dat<double>("b", other, 1)); }),
              HasSubstr("dat b is on set others, expected points"));
  EXPECT_THAT(error_of([&] { a.inner(stranger.dat<double>("b", stranger.set("s", 3), 1)); }),
              HasSubstr("dat b belongs to another Mesh"));
}

TEST(DatArithmeticOf, many_dats_waits_until_it_is_asked_for) {
  Points p;
  Dat a = p.mesh.dat<double>("a", p.set, 1), b = p.mesh.dat<double>("b", p.set, 1);
  a += 1;
  b += a;
  EXPECT_EQ(p.mesh.queued(), 2u);
  EXPECT_EQ(b.read<double>()[0], 1);
  EXPECT_EQ(p.mesh.queued(), 0u);
}

}  // namespace
}  // namespace kiln::mesh::testing
