#include "published/references.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::published {
namespace {

// The divisor of mean, std and reduce, as a float argument sees it.
constexpr float divisor = 3214212.01F;
constexpr float least_deviation = 0.005F;

/// A square row-major matrix of n x n floats.
struct Matrix {
  const std::vector<float>& data;
  std::size_t n;
  double operator()(std::size_t row, std::size_t column) const {
    return static_cast<double>(data[row * n + column]);
  }
};

/// result[j] = sum over rows i < rows of weight(i) * a(i, j), row by row as the matrix lies.
template <class Weight>
std::vector<double> weighted_rows(const Matrix& a, std::size_t rows, Weight weight) {
  std::vector<double> result(a.n, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double factor = weight(i);
    for (std::size_t j = 0; j < a.n; ++j) result[j] += factor * a(i, j);
  }
  return result;
}

/// Products of all pairs of columns, into the upper triangle and its mirror image. Row by row of
/// the data, so that the inner loop runs along memory.
std::vector<double> column_pair_products(const Matrix& data, std::size_t rows) {
  const std::size_t n = data.n;
  std::vector<double> result(n * n, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t first = 0; first < n; ++first) {
      const double factor = data(i, first);
      for (std::size_t second = first; second < n; ++second)
        result[first * n + second] += factor * data(i, second);
    }
  }
  for (std::size_t first = 0; first < n; ++first)
    for (std::size_t second = 0; second < first; ++second)
      result[first * n + second] = result[second * n + first];
  return result;
}

/// One sum of `width` elements a work-group, from group * width on; 0 where the input has ended.
std::vector<double> sums_by(std::size_t width, const Shape& shape, const std::vector<float>& in) {
  std::vector<double> result(shape.dataset, 0.0);
  for (std::size_t i = 0; i < shape.rounded; ++i) result[i / width] += static_cast<double>(in[i]);
  return result;
}

}  // namespace

std::vector<double> vector_add(const Shape& shape, Inputs in) {
  std::vector<double> result(shape.dataset, 0.0);
  for (std::size_t i = 0; i < shape.rounded; ++i)
    result[i] = static_cast<double>(in[0][i]) + static_cast<double>(in[1][i]);
  return result;
}

std::vector<double> products(const Shape& shape, Inputs in) {
  std::vector<double> result(shape.dataset, 0.0);
  for (std::size_t i = 0; i < shape.rounded; ++i)
    result[i] = static_cast<double>(in[0][i]) * static_cast<double>(in[1][i]);
  return result;
}

std::vector<double> copy(const Shape&, Inputs in) { return {in[1].begin(), in[1].end()}; }

std::vector<double> no_clusters(const Shape& shape, Inputs) {
  return std::vector<double>(shape.dataset, 0.0);
}

std::vector<double> convolution_2d(const Shape& shape, Inputs in) {
  const std::size_t n = shape.dataset;
  const Matrix image{in[0], n};
  std::vector<double> result(n * n, 0.0);
  for (std::size_t y = 1; y + 1 < shape.rounded; ++y) {
    for (std::size_t x = 1; x + 1 < n; ++x) {
      result[y * n + x] = 0.2 * image(y - 1, x - 1) + 0.5 * image(y - 1, x) -
                          0.8 * image(y - 1, x + 1) - 0.3 * image(y, x - 1) + 0.6 * image(y, x) -
                          0.9 * image(y, x + 1) + 0.4 * image(y + 1, x - 1) +
                          0.7 * image(y + 1, x) + 0.1 * image(y + 1, x + 1);
    }
  }
  return result;
}

std::vector<double> matrix_vector(const Shape& shape, Inputs in) {
  const Matrix a{in[0], shape.dataset};
  std::vector<double> result(shape.dataset, 0.0);
  for (std::size_t i = 0; i < shape.rounded; ++i)
    for (std::size_t j = 0; j < shape.dataset; ++j)
      result[i] += a(i, j) * static_cast<double>(in[1][j]);
  return result;
}

std::vector<double> row_dots(const Shape& shape, Inputs in) { return matrix_vector(shape, in); }

std::vector<double> column_dots(const Shape& shape, Inputs in) {
  return weighted_rows(Matrix{in[0], shape.dataset}, shape.rounded,
                       [&](std::size_t i) { return static_cast<double>(in[1][i]); });
}

std::vector<double> matrix_product(const Shape& shape, Inputs in) {
  const std::size_t n = shape.dataset;
  const Matrix a{in[0], n};
  const Matrix b{in[1], n};
  std::vector<double> result;
  result.reserve(n * n);
  for (std::size_t i = 0; i < shape.rounded; ++i) {
    const auto row = weighted_rows(b, n, [&](std::size_t k) { return a(i, k); });
    result.insert(result.end(), row.begin(), row.end());
  }
  result.resize(n * n, 0.0);
  return result;
}

std::vector<double> first_row_product(const Shape& shape, Inputs in) {
  const std::size_t n = shape.dataset;
  const Matrix a{in[0], n};
  auto result = weighted_rows(Matrix{in[1], n}, n, [&](std::size_t k) { return a(0, k); });
  for (double& x : result) x *= 32412.0;
  // beta scales the zeros that C starts with, so it leaves no trace.
  result.resize(n * n, 0.0);
  return result;
}

// The row's length is `rounded` here: mean and std take it as the number of columns.
std::vector<double> column_means(const Shape& shape, Inputs in) {
  std::vector<double> result(shape.dataset, 0.0);
  for (std::size_t i = 0; i < shape.dataset; ++i)
    for (std::size_t j = 0; j < shape.rounded; ++j)
      result[j] += static_cast<double>(in[0][i * shape.rounded + j]);
  for (double& x : result) x /= static_cast<double>(divisor);
  return result;
}

std::vector<double> column_deviations(const Shape& shape, Inputs in) {
  std::vector<float> squares(shape.rounded, 0.0F);
  for (std::size_t i = 0; i < shape.dataset; ++i) {
    for (std::size_t j = 0; j < shape.rounded; ++j) {
      const float distance = in[1][i * shape.rounded + j] - in[0][j];
      squares[j] = std::fma(distance, distance, squares[j]);
    }
  }
  std::vector<double> result(shape.dataset, 0.0);
  std::ranges::transform(squares, result.begin(), [](float square) {
    const float root = std::sqrt(square / divisor);
    return static_cast<double>(root <= least_deviation ? 1.0F : root);
  });
  return result;
}

std::vector<double> centred_and_scaled(const Shape& shape, Inputs in) {
  const std::size_t n = shape.dataset;
  const double scale = std::sqrt(static_cast<double>(divisor));
  std::vector<double> result(n * n, 0.0);
  for (std::size_t i = 0; i < shape.rounded; ++i)
    for (std::size_t j = 0; j < n; ++j)
      result[i * n + j] = -static_cast<double>(in[0][j]) / (scale * static_cast<double>(in[1][j]));
  return result;
}

std::vector<double> correlation(const Shape& shape, Inputs in) {
  auto result = column_pair_products(Matrix{in[0], shape.dataset}, shape.rounded);
  for (std::size_t j = 0; j < shape.dataset; ++j) result[j * shape.dataset + j] = 1.0;
  return result;
}

std::vector<double> covariance(const Shape& shape, Inputs in) {
  return column_pair_products(Matrix{in[0], shape.dataset}, shape.rounded);
}

std::vector<double> group_sums(const Shape& shape, Inputs in) {
  return sums_by(shape.local_size, shape, in[0]);
}

// Half as many groups as there are would do; the others find nothing and leave 0.
std::vector<double> paired_group_sums(const Shape& shape, Inputs in) {
  return sums_by(2 * shape.local_size, shape, in[0]);
}

}  // namespace kiln::published
