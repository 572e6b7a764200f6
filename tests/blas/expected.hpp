#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "blas/operand_data.hpp"

namespace kiln::blas::testing {

using Precisions = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
using RealPrecisions = ::testing::Types<float, double>;
using ComplexPrecisions = ::testing::Types<std::complex<float>, std::complex<double>>;

using Wide = std::complex<long double>;

/// An element of a matrix by row and column, in extended precision.
using Element = std::function<Wide(std::size_t, std::size_t)>;

/// Elements [0, rows) x [0, columns) in row-major order.
inline std::vector<Wide> gathered(const Element& element, std::size_t rows, std::size_t columns) {
  std::vector<Wide> all(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) all[i * columns + j] = element(i, j);
  return all;
}

/// A scalar of a call, with an imaginary part where T has one.
template <class T>
Scalar scalar_of(double real, double imaginary) {
  return is_complex(precision_of<T>) ? Scalar(real, imaginary) : Scalar(real);
}

/// Runs a call on some queues and waits for all of them.
inline Status run(const Call& call, std::size_t queues = 1, const std::string& form = "") {
  const Status status = Machine::get().library(form).run(call, {Machine::get().queues(queues)});
  for (const auto queue : Machine::get().queues(queues)) ::clFinish(queue);
  return status;
}

/// What an element should be, and how far a computed one may be from it: a sum of products in
/// extended precision, with the sum of the products' magnitudes. A result of length-k sums in a
/// precision of unit roundoff u may be off by gamma(k) times that magnitude (Higham, Accuracy and
/// Stability of Numerical Algorithms, 3.1): componentwise, whatever the order of summation.
struct Sum {
  Wide value = 0;
  long double magnitude = 0;
  std::size_t terms = 0;

  template <class A>
  void add(const A& a) {
    value += Wide(a);
    magnitude += std::abs(Wide(a));
    ++terms;
  }
  template <class A, class B>
  void add(const A& a, const B& b) {
    const Wide x(a), y(b);
    value += x * y;
    // One root in place of two calls of hypot, which were most of what the comparisons took.
    const bool are_real = std::imag(x) == 0 && std::imag(y) == 0;
    magnitude +=
        are_real ? std::abs(std::real(x) * std::real(y)) : std::sqrt(std::norm(x) * std::norm(y));
    ++terms;
  }
  /// alpha times each x times its y: sums of thousands are most of what comparisons take, so
  /// numbers of T that are real are multiplied as such.
  template <class T>
  void add_products(const Wide& alpha, std::span<const Wide> x, std::span<const Wide> y) {
    if constexpr (std::is_same_v<T, Real<T>>) {
      long double sum = 0, magnitudes = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const long double product = alpha.real() * x[i].real() * y[i].real();
        sum += product;
        magnitudes += std::abs(product);
      }
      value += sum;
      magnitude += magnitudes;
      terms += x.size();
    } else {
      for (std::size_t i = 0; i < x.size(); ++i) add(alpha * x[i], y[i]);
    }
  }
  template <class T>
  long double bound() const {
    const long double unit = std::numeric_limits<Real<T>>::epsilon() / 2;
    // A complex product is four real ones and two sums.
    const long double steps =
        static_cast<long double>(terms + 2) * (std::is_same_v<T, Real<T>> ? 1.0L : 4.0L);
    return steps * unit / (1 - steps * unit) * magnitude +
           4 * static_cast<long double>(std::numeric_limits<Real<T>>::denorm_min());
  }
};

/// The expected contents of an argument: as they were, but for the elements that were set.
template <class T>
class Expected {
 public:
  explicit Expected(const OperandData<T>& before)
      : before_(before.all()), set_(before_.size()), is_set_(before_.size(), false) {}
  void set(std::size_t index, const Sum& sum) {
    set_[index] = sum;
    is_set_[index] = true;
  }
  /// The first difference, for a message; empty where there is none. What was not set must not
  /// have changed by a bit.
  std::string difference(const std::vector<T>& now) const {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!is_set_[i]) {
        if (std::memcmp(&now[i], &before_[i], sizeof(T)) != 0)
          return "element " + std::to_string(i) + " is not the routine's, and was changed";
        continue;
      }
      const long double off = std::abs(Wide(now[i]) - set_[i].value);
      if (!(off <= set_[i].template bound<T>()))  // NaN is a difference
        return "element " + std::to_string(i) + " is off by " + std::to_string(off) +
               ", allowed are " + std::to_string(set_[i].template bound<T>());
    }
    return "";
  }

 private:
  std::vector<T> before_;
  std::vector<Sum> set_;
  std::vector<bool> is_set_;
};

}  // namespace kiln::blas::testing
