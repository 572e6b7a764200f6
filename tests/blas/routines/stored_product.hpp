#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "blas/routines/level3.hpp"
#include "blas/routines/stored_data.hpp"

// Products of operands that lie in memory otherwise than as floats, against sums in double
// precision.
namespace kiln::blas::testing {

/// What the tests call a float among the kinds of elements.
constexpr Storage float32 = Storage::native;

/// The unit roundoff of float.
constexpr double unit = std::numeric_limits<float>::epsilon() / 2.0;

/// What is lost where a float becomes less than the normal ones.
constexpr double smallest = std::numeric_limits<float>::denorm_min();

/// A product of operands of some kinds, and how it is run.
struct Product {
  Call call{};
  std::array<Storage, 3> kinds{};
  std::string form{};
  std::size_t queues = 1;
  Storage vectors = Storage::native;                 ///< of what comes after
  Lies lies = Lies::anyhow;                          ///< the first factor's lines
  std::function<void(StoredData& b)> change{};       ///< what becomes of the second factor
  std::function<void(StoredData&)> change_a{};       ///< and of the first
  std::function<void(StoredData&)> change_scales{};  ///< and of its scales, by rows
};

inline double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

/// The scales of a factor with groups: `lines` lines of them.
inline std::vector<double> give_scales(StoredData& scales, Call& call, Slot slot) {
  call[slot] = scales.upload();
  std::vector<double> values(scales.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scales.number(i);
  return values;
}

/// Runs a product and compares each element of the result with sums in double precision.
inline void check(Product p) {
  Call& call = p.call;
  call.routine = Routine::gemm;
  call.precision = Precision::s;
  const bool turned_a = call.trans_a != Transpose::none, turned_b = call.trans_b != Transpose::none;
  const Order order = call.order;
  StoredData a(p.kinds[0], order, turned_a ? call.k : call.m, turned_a ? call.m : call.k, 1,
               p.lies);
  StoredData b(p.kinds[1], order, turned_b ? call.n : call.k, turned_b ? call.k : call.n, 2);
  StoredData c(p.kinds[2], order, call.m, call.n, 3);
  if (p.change) p.change(b);
  if (p.change_a) p.change_a(a);
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  const Epilogue& after = call.epilogue;
  const auto size_along = [&](Along way) { return way == Along::rows ? call.m : call.n; };
  StoredData bias(p.vectors, Order::column_major, size_along(after.bias), 1, 5),
      scale(p.vectors, Order::column_major, size_along(after.scale), 1, 6),
      residual(p.vectors, order, call.m, call.n, 7);
  call[Slot::bias] = bias.upload();
  call[Slot::bias].stride = 1;
  call[Slot::scale] = scale.upload();
  call[Slot::scale].stride = 1;
  call[Slot::residual] = residual.upload();
  const auto groups_of = [&](std::size_t group) {
    return group == 0 ? 0 : (call.k + group - 1) / group;
  };
  const std::size_t groups_a = groups_of(call.group_a), groups_b = groups_of(call.group_b);
  StoredData scales_a(Storage::half, Order::row_major, call.m, groups_a, 8),
      scales_b(Storage::half, Order::row_major, call.n, groups_b, 12);
  if (p.change_scales) p.change_scales(scales_a);
  const auto of_a = give_scales(scales_a, call, Slot::scale_a),
             of_b = give_scales(scales_b, call, Slot::scale_b);
  // Scales lie side by side, from the offset on.
  call[Slot::scale_a].stored = call[Slot::scale_b].stored = Storage::native;

  ASSERT_EQ(run(call, p.queues, p.form), Status::success) << text_of(call);
  ExpectedStored expected(c);
  const double alpha = call.alpha.real(), beta = call.beta.real();
  for (std::size_t i = 0; i < call.m; ++i)
    for (std::size_t j = 0; j < call.n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < call.k && alpha != 0; ++k) {
        double left = turned_a ? a.element(k, i) : a.element(i, k);
        double right = turned_b ? b.element(j, k) : b.element(k, j);
        if (call.group_a != 0)
          left *= of_a[call[Slot::scale_a].offset + i * groups_a + k / call.group_a];
        if (call.group_b != 0)
          right *= of_b[call[Slot::scale_b].offset + j * groups_b + k / call.group_b];
        sum += alpha * left * right;
        magnitude += std::abs(alpha * left * right);
      }
      if (beta != 0) {
        sum += beta * c.element(i, j);
        magnitude += std::abs(beta * c.element(i, j));
      }
      // Gamma of the terms, the products with scales rounded twice more.
      double bound = (static_cast<double>(call.k) + 6) * unit * magnitude +
                     static_cast<double>(call.k) * smallest;
      const auto along = [&](const StoredData& vector, Along way) {
        return vector.number(vector.at(way == Along::rows ? i : j, 0));
      };
      if (after.scale != Along::none) {
        const double factor = along(scale, after.scale);
        sum *= factor;
        bound = bound * std::abs(factor) + unit * std::abs(sum);
      }
      if (after.bias != Along::none) {
        sum += along(bias, after.bias);
        bound += unit * std::abs(sum);
      }
      if (after.activation != Activation::none) {
        sum = activated(after.activation, sum);
        bound = bound * 1.2 + 32 * unit * std::abs(sum) + 1e-6;  // their slopes are below 1.2
      }
      if (after.residual) {
        sum += residual.element(i, j);
        bound += unit * std::abs(sum);
      }
      const bool is_exact = p.kinds[2] == Storage::int32 && is_whole_number(p.kinds[0]) &&
                            is_whole_number(p.kinds[1]);
      expected.set(c.at(i, j), sum, is_exact ? 0 : bound);
    }
  EXPECT_EQ(expected.difference(), "")
      << text_of(call) << " kinds " << static_cast<int>(p.kinds[0]) << static_cast<int>(p.kinds[1])
      << static_cast<int>(p.kinds[2]) << " form " << p.form;
  EXPECT_EQ(a.download(), a.bytes());
  EXPECT_EQ(b.download(), b.bytes());
}

inline Product product(std::size_t m, std::size_t n, std::size_t k, std::array<Storage, 3> kinds) {
  Product made;
  made.call.m = m;
  made.call.n = n;
  made.call.k = k;
  made.call.alpha = -0.75;
  made.call.beta = 1.25;
  made.kinds = kinds;
  return made;
}

}  // namespace kiln::blas::testing
