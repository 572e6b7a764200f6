#include <algorithm>
#include <cmath>
#include <random>

#include "blas/routines/level3.hpp"

// Products of doubles by way of bytes: as exact as products of doubles, or computed so.
namespace kiln::blas::testing {
namespace {

template <class T>
class Emulated : public ::testing::Test {
 public:
  OperandData<T> a_data(const Call& call) {
    const bool turned = call.trans_a != Transpose::none;
    return matrix_data<T>(call.order, turned ? call.k : call.m, turned ? call.m : call.k, 1);
  }
  OperandData<T> b_data(const Call& call) {
    const bool turned = call.trans_b != Transpose::none;
    return matrix_data<T>(call.order, turned ? call.n : call.k, turned ? call.k : call.n, 2);
  }
  static std::vector<T> computed(Call call, OperandData<T>& a, OperandData<T>& b, OperandData<T>& c,
                                 bool is_emulated, const std::string& form = "") {
    call.emulated = is_emulated;
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    EXPECT_EQ(run(call, 1, form), Status::success);
    return c.download();
  }
  static Call call(std::size_t m, std::size_t n, std::size_t k) {
    Call made;
    made.routine = Routine::gemm;
    made.precision = precision_of<T>;
    made.m = m;
    made.n = n;
    made.k = k;
    made.alpha = scalar(precision_of<T>, -0.75, 0.5);
    made.beta = scalar(precision_of<T>, 1.25, -0.25);
    return made;
  }
  void check(const Call& call, const std::string& form = "") {
    auto a = a_data(call), b = b_data(call), c = matrix_data<T>(call.order, call.m, call.n, 3);
    const auto now = computed(call, a, b, c, true, form);
    const auto left = applied(element_of(a, call.order), call.trans_a);
    const auto right = applied(element_of(b, call.order), call.trans_b);
    blas::testing::Expected<T> expected(c);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum;
        const auto at = c.at(call.order, i, j);
        sum.add(call.beta, c.all()[at]);
        for (std::size_t k = 0; k < call.k; ++k)
          sum.add(Wide(call.alpha) * left(i, k), right(k, j));
        expected.set(at, sum);
      }
    EXPECT_EQ(expected.difference(now), "") << text_of(call) << form;
  }
};
using Doubles = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Emulated, Doubles);

TYPED_TEST(Emulated, is_right_for_all_orders_and_transposes) {
  for (const char* form : {"", "gpu"})
    for (const auto order : orders)
      for (const auto trans_a : transposes)
        for (const auto trans_b : transposes) {
          auto call = this->call(37, 45, 70);
          call.order = order;
          call.trans_a = trans_a;
          call.trans_b = trans_b;
          this->check(call, form);
        }
}

TYPED_TEST(Emulated, is_right_for_sizes_that_no_square_divides) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{9, 10, 1},
                                {31, 33, 32},
                                {64, 300, 33},
                                {12, 14, 1500},
                                {515, 259, 70}})
    this->check(this->call(m, n, k));
}

// The matrices of the published comparison: (u - 1/2) exp(phi g), with u uniform, g normal.
TYPED_TEST(Emulated, errors_are_no_worse_than_those_of_doubles) {
  for (const double phi : {0.5, 1.0, 2.0, 4.0}) {
    const auto call = this->call(40, 40, 400);
    auto a = this->a_data(call), b = this->b_data(call),
         c = matrix_data<TypeParam>(call.order, call.m, call.n, 3);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::normal_distribution<double> normal;
    for (auto* data : {&a, &b})
      for (auto& element : data->all()) element = uniform(random) * std::exp(phi * normal(random));
    auto exact = call;
    exact.beta = 0;
    exact.alpha = 1;
    const auto emulated = this->computed(exact, a, b, c, true),
               native = this->computed(exact, a, b, c, false);
    long double worst_emulated = 0, worst_native = 0;
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum;
        for (std::size_t k = 0; k < call.k; ++k)
          sum.add(a.all()[a.at(call.order, i, k)], b.all()[b.at(call.order, k, j)]);
        const auto at = c.at(call.order, i, j);
        const auto error = [&](const auto& now) {
          return std::abs(Wide(now[at]) - sum.value) / sum.magnitude;
        };
        worst_emulated = std::max(worst_emulated, error(emulated));
        worst_native = std::max(worst_native, error(native));
      }
    EXPECT_LE(worst_emulated, worst_native) << "phi " << phi;
    // Where exponents allow it, bytes were what it was computed with.
    if (phi <= 1) {
      EXPECT_LT(worst_emulated, worst_native / 2) << "phi " << phi;
    }
  }
}

// Where exponents do not allow it, bits are those of the product of doubles.
TYPED_TEST(Emulated, what_is_not_exact_enough_is_computed_with_doubles) {
  const auto call = this->call(33, 34, 35);
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double special : {inf, std::numeric_limits<double>::quiet_NaN(), 1e-30, 1e300}) {
    auto a = this->a_data(call), b = this->b_data(call),
         c = matrix_data<TypeParam>(call.order, call.m, call.n, 3);
    b.all()[b.at(call.order, 7, 11)] = special;
    const auto emulated = this->computed(call, a, b, c, true),
               native = this->computed(call, a, b, c, false);
    EXPECT_EQ(std::memcmp(emulated.data(), native.data(), native.size() * sizeof native[0]), 0)
        << special;
  }
}

TYPED_TEST(Emulated, small_whole_numbers_are_exact) {
  auto call = this->call(20, 20, 200);
  call.alpha = 1;
  call.beta = 0;
  auto a = this->a_data(call), b = this->b_data(call),
       c = matrix_data<TypeParam>(call.order, call.m, call.n, 3);
  std::mt19937 random(5);
  for (auto* data : {&a, &b})
    for (auto& element : data->all()) element = static_cast<double>(random() % 2001) - 1000;
  const auto now = this->computed(call, a, b, c, true);
  for (std::size_t i = 0; i < call.m; ++i)
    for (std::size_t j = 0; j < call.n; ++j) {
      TypeParam sum = 0;
      for (std::size_t k = 0; k < call.k; ++k)
        sum += a.all()[a.at(call.order, i, k)] * b.all()[b.at(call.order, k, j)];
      ASSERT_EQ(now[c.at(call.order, i, j)], sum);
    }
}

// Another way than that of doubles was gone: else the tests above would show nothing.
TYPED_TEST(Emulated, goes_by_way_of_bytes) {
  auto call = this->call(40, 40, 40);
  call.emulated = true;
  for (const Slot slot : {Slot::a, Slot::b, Slot::c}) call[slot].stride = 40;
  const auto sequence = Machine::get().library().build(call, {Machine::get().queues()});
  std::size_t emulated = 0;
  for (const auto& step : sequence->steps()) emulated += step.family == "blas.emulated" ? 1 : 0;
  // The gate, exponents, scales and planes of both factors, what is put together.
  EXPECT_GE(emulated, 8u);
}

}  // namespace
}  // namespace kiln::blas::testing
