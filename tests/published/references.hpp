#pragma once
// What each published kernel computes, in plain C++: the right answer of a one-device run, and so
// of every split of it.
//
// A reference takes its inputs by argument position and returns the whole output buffer as doubles,
// which hold the float and int results alike. Elements that a kernel leaves alone are 0, as Kiln
// zero-fills its outputs. Sums are made in double, so a reference is the more exact of two results.

#include <cstddef>
#include <span>
#include <vector>

namespace kiln::published {

/// What a launch of a published spec depends on besides its arrays.
struct Shape {
  std::size_t dataset;  ///< `dataset`, at least 1
  std::size_t rounded;  ///< `partition_round(dataset, size_percent)`; `dataset` for a whole run
  std::size_t local_size = 1;  ///< of dimension 0; only the reductions' results depend on it
};

/// Arrays by argument position; empty where an argument is no input.
using Inputs = std::span<const std::vector<float>>;
using Reference = std::vector<double> (*)(const Shape&, Inputs);

std::vector<double> vector_add(const Shape&, Inputs);
std::vector<double> products(const Shape&, Inputs);
std::vector<double> copy(const Shape&, Inputs);
std::vector<double> no_clusters(const Shape&, Inputs);
std::vector<double> convolution_2d(const Shape&, Inputs);

std::vector<double> matrix_vector(const Shape&, Inputs);   ///< `rounded` rows
std::vector<double> row_dots(const Shape&, Inputs);        ///< the same; its own name in BiCG, ATAX
std::vector<double> column_dots(const Shape&, Inputs);     ///< over `rounded` rows
std::vector<double> matrix_product(const Shape&, Inputs);  ///< `rounded` rows
std::vector<double> first_row_product(const Shape&, Inputs);  ///< gemm, row 0

std::vector<double> column_means(const Shape&, Inputs);
/// Jumps to 1 where a deviation is not above 0.005. With data and means in [0, 1) that edge lies
/// within reach for datasets of about 230 to 1000; the sum is made in float, in the kernel's order,
/// so that both fall on the same side of it.
std::vector<double> column_deviations(const Shape&, Inputs);
std::vector<double> centred_and_scaled(const Shape&, Inputs);
std::vector<double> correlation(const Shape&, Inputs);
std::vector<double> covariance(const Shape&, Inputs);

std::vector<double> group_sums(const Shape&, Inputs);         ///< reduce0 to reduce2
std::vector<double> paired_group_sums(const Shape&, Inputs);  ///< reduce3 to reduce6

}  // namespace kiln::published
