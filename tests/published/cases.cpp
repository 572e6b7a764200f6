#include "published/cases.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

namespace kiln::published {
namespace {

using enum ArgumentKind;
using enum Quantity;

constexpr Argument in_n{Input, Dataset}, in_nn{Input, Squared};
constexpr Argument out_n{Output, Dataset}, out_nn{Output, Squared};
constexpr Argument int_n{Int, Dataset}, int_pr{Int, Rounded}, int_0{Int, Literal, 0};
constexpr Argument uint_n{Uint, Dataset}, uint_pr{Uint, Rounded};
constexpr Argument local_n{Local, Dataset};
constexpr Argument number(double value) { return {Float, Literal, value}; }

// A float sum of n terms may differ between two orders by about n roundings of its largest part;
// 1e-5 and 1e-4 cover n = 1000 with room, and are far below what a lost or doubled term would make.
constexpr Tolerance exact{0, 0}, elementwise{1e-6, 0}, sum{1e-5, 0}, deviation{1e-4, 0};
// A convolution cancels: its rounding is relative to the terms, which are below 1.
constexpr Tolerance convolution{1e-5, 1e-6};

/// A kernel whose work-items do not know their group, in `dimensions` dimensions.
Case free_items(std::size_t dimensions, std::string_view spec, std::string_view kernel,
                std::string_view source, std::vector<Argument> arguments, Reference reference,
                Tolerance tolerance) {
  return {spec,      kernel,   source, dimensions, Split::Allowed, std::move(arguments),
          reference, tolerance};
}

Case reduction(std::string_view name, Reference reference) {
  Case published = free_items(1, name, name, "oclReduction_kernel.cl",
                              {in_n, out_n, uint_pr, local_n}, reference, sum);
  published.split = Split::WorkGroup;
  return published;
}

Case matrix_vector_product(std::string_view name, Split split) {
  Case published = free_items(1, name, name, "oclMatVecMul.cl",
                              {in_nn, in_nn, uint_n, uint_pr, out_n}, matrix_vector, sum);
  published.split = split;
  if (split == Split::WorkGroup) published.arguments.push_back(local_n);
  return published;
}

std::vector<Case> elementwise_cases() {
  return {
      free_items(1, "DotProduct", "DotProduct", "DotProduct.cl", {in_n, in_n, out_n, int_pr},
                 products, elementwise),
      free_items(1, "VectorAdd", "VectorAdd", "VectorAdd.cl", {in_n, in_n, out_n, int_pr},
                 vector_add, elementwise),
      free_items(1, "kmeans", "kmeans_kernel_c", "kmeans.cl",
                 {in_nn, in_n, out_n, int_pr, int_0, int_0, int_0, int_0}, no_clusters, exact),
      free_items(2, "2DConvul", "Convolution2D_kernel", "convol2.cl",
                 {in_nn, out_nn, int_pr, int_n}, convolution_2d, convolution),
      free_items(2, "uncoalesced_copy", "uncoalesced_copy", "transpose.cl",
                 {out_nn, in_nn, int_0, int_n, int_n}, copy, exact),
  };
}

std::vector<Case> linear_algebra_cases() {
  const std::vector<Argument> vector_arguments{in_nn, in_n, out_n, int_pr, int_n};
  const std::vector<Argument> matrix_arguments{in_nn, in_nn, out_nn, int_pr, int_n, int_n};
  return {
      matrix_vector_product("MatVecMulCoalesced1", Split::WorkGroup),
      matrix_vector_product("MatVecMulCoalesced2", Split::WorkGroup),
      matrix_vector_product("MatVecMulUncoalesced1", Split::Allowed),
      free_items(1, "atax1", "atax_kernel1", "atax.cl", vector_arguments, row_dots, sum),
      free_items(1, "atax2", "atax_kernel2", "atax.cl", vector_arguments, column_dots, sum),
      free_items(1, "bicg1", "bicgKernel1", "bicg.cl", vector_arguments, row_dots, sum),
      free_items(1, "bicg2", "bicgKernel2", "bicg.cl", vector_arguments, column_dots, sum),
      free_items(1, "gemm", "gemm", "gemm.cl",
                 {in_nn, in_nn, out_nn, number(32412), number(2123), int_n, int_n, int_n},
                 first_row_product, sum),
      free_items(2, "mm21", "mm2_kernel1", "2mm.cl", matrix_arguments, matrix_product, sum),
      free_items(2, "mm22", "mm2_kernel2", "2mm.cl", matrix_arguments, matrix_product, sum),
  };
}

std::vector<Case> statistics_cases() {
  const Argument divisor = number(3214212.01);
  return {
      free_items(1, "corr", "corr_kernel", "correlation.cl", {in_nn, out_nn, int_n, int_pr},
                 correlation, sum),
      free_items(1, "covar", "covar_kernel", "covariance.cl", {in_nn, out_nn, int_n, int_pr},
                 covariance, sum),
      free_items(1, "mean", "mean_kernel", "correlation.cl", {in_nn, out_n, divisor, int_pr, int_n},
                 column_means, sum),
      free_items(2, "reduce", "reduce_kernel", "correlation.cl",
                 {in_n, in_n, out_nn, divisor, int_n, int_pr}, centred_and_scaled, sum),
      free_items(1, "std", "std_kernel", "correlation.cl",
                 {in_n, in_nn, out_n, divisor, number(0.005), int_pr, int_n}, column_deviations,
                 deviation),
  };
}

std::vector<Case> reduction_cases() {
  return {
      reduction("reduce0", group_sums),        reduction("reduce1", group_sums),
      reduction("reduce2", group_sums),        reduction("reduce3", paired_group_sums),
      reduction("reduce4", paired_group_sums), reduction("reduce5", paired_group_sums),
      reduction("reduce6", paired_group_sums),
  };
}

std::vector<Case> make_cases() {
  std::vector<Case> all;
  for (auto part :
       {elementwise_cases(), linear_algebra_cases(), statistics_cases(), reduction_cases()})
    std::ranges::move(part, std::back_inserter(all));
  std::ranges::sort(all, {}, &Case::spec);
  return all;
}

double value(const Argument& argument, const Shape& shape) {
  const auto n = static_cast<double>(shape.dataset);
  switch (argument.quantity) {
    case Dataset:
      return n;
    case Squared:
      return n * n;
    case Rounded:
      return static_cast<double>(shape.rounded);
    case Literal:
      return argument.literal;
  }
  return 0;
}

}  // namespace

std::size_t Case::output() const {
  const auto found = std::ranges::find(arguments, Output, &Argument::kind);
  return static_cast<std::size_t>(found - arguments.begin());
}

std::size_t Case::elements(std::size_t position, const Shape& shape) const {
  return static_cast<std::size_t>(value(arguments.at(position), shape));
}

double Case::scalar(std::size_t position, const Shape& shape) const {
  return value(arguments.at(position), shape);
}

std::span<const Case> cases() {
  static const std::vector<Case> table = make_cases();
  return table;
}

const Case* find_case(std::string_view spec) {
  const auto found = std::ranges::find(cases(), spec, &Case::spec);
  return found == cases().end() ? nullptr : &*found;
}

std::vector<std::vector<float>> random_inputs(const Case& published, const Shape& shape,
                                              unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::vector<float>> inputs(published.arguments.size());
  for (std::size_t position = 0; position < inputs.size(); ++position) {
    if (published.arguments[position].kind != Input) continue;
    inputs[position].resize(published.elements(position, shape));
    // The top 24 bits: every float of that grid is exact, and 1 cannot be reached by rounding.
    for (float& x : inputs[position]) x = static_cast<float>(engine() >> 8) * 0x1p-24F;
  }
  return inputs;
}

}  // namespace kiln::published
