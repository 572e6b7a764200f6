#include "blas/level3/shares.hpp"

#include <algorithm>
#include <cmath>

#include "blas/level3/scale_result.hpp"

namespace kiln::blas {
namespace {

/// Shares are cut at multiples of this, so that no panel is cut in two.
constexpr std::size_t grain = 64;

/// The column at which a part of the work (from 0 to 1) is done.
std::size_t column_at(const Product& product, double part) {
  const auto columns = static_cast<double>(product.columns);
  double column = columns * part;
  // The columns of a lower triangle get shorter, those of an upper one longer.
  if (product.triangle == Product::Triangle::lower) column = columns * (1 - std::sqrt(1 - part));
  if (product.triangle == Product::Triangle::upper) column = columns * std::sqrt(part);
  const auto cut = static_cast<std::size_t>(column / grain + 0.5) * grain;
  return part >= 1 ? product.columns : std::min(cut, product.columns);
}

/// The part of a factor that stands for columns [from, ...) of the product.
Factor from_column(Factor factor, std::size_t from) {
  const bool turned = factor.trans != Transpose::none;
  factor.region = turned ? factor.region.at(from, 0) : factor.region.at(0, from);
  return factor;
}
Factor from_row(Factor factor, std::size_t from) {
  const bool turned = factor.trans != Transpose::none;
  factor.region = turned ? factor.region.at(0, from) : factor.region.at(from, 0);
  return factor;
}

/// Columns [from, to) of a product.
Product columns_of(const Product& whole, std::size_t from, std::size_t to) {
  Product part = whole;
  part.columns = to - from;
  part.second = from_column(whole.second, from);
  part.result = whole.result.at(0, from);
  if (whole.triangle == Product::Triangle::lower) {
    part.rows = whole.rows - from;
    part.first = from_row(whole.first, from);
    part.result = whole.result.at(from, from);
  }
  if (whole.triangle == Product::Triangle::upper) part.rows = to;
  return part;
}

/// Of an upper triangle, columns [from, to) are a rectangle above a triangle.
void add_part(SequenceBuilder& builder, unsigned queue, const Product& whole, std::size_t from,
              std::size_t to) {
  const bool nothing = builder.call().alpha == Scalar(0) || whole.depth == 0;
  const auto add = nothing ? add_scaling : add_product;
  Product part = columns_of(whole, from, to);
  if (whole.triangle == Product::Triangle::upper && from > 0) {
    Product above = part;
    above.rows = from;
    above.triangle = Product::Triangle::whole;
    above.hermitian = false;
    add(builder, queue, above);
    part.rows = to - from;
    part.first = from_row(part.first, from);
    part.result = part.result.at(from, 0);
  }
  add(builder, queue, part);
}

}  // namespace

void add_shared(SequenceBuilder& builder, const Product& product) {
  const bool divides = product.second.stored == Factor::Stored::everywhere;
  const unsigned queues = divides ? builder.queues() : 1;
  double all = 0, done = 0;
  for (unsigned queue = 0; queue < queues; ++queue) all += builder.speed(queue, Limit::arithmetic);
  std::size_t from = 0;
  for (unsigned queue = 0; queue < queues; ++queue) {
    done += builder.speed(queue, Limit::arithmetic);
    std::size_t to = queue + 1 == queues ? product.columns : column_at(product, done / all);
    // What is too little to share is the first queue's, whose event callers count on.
    if (queue == 0) to = std::max(to, std::min(grain, product.columns));
    if (to > from) add_part(builder, queue, product, from, to);
    from = std::max(from, to);
  }
}

}  // namespace kiln::blas
