#include "blas/routines/shares.hpp"

#include <algorithm>
#include <cmath>

#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {

namespace {

/// The same for one result that goes through more than a multiplication with beta.
void add_finish(SequenceBuilder& builder, unsigned queue, const Product& product) {
  const KernelChoice choice = gemm_choice(builder, queue, product.form(), false, "finish_only");
  NDRange range = stream_range(builder.device(queue), product.rows * product.columns);
  if (is_cpu_form(builder.gemm_form(queue))) {
    const GemmTiles tiles = GemmTiles::of(choice.chosen.parameters);
    range = {};
    range.dimensions = 2;
    range.global = {panels_of(product.rows, tiles.rows), panels_of(product.columns, tiles.columns),
                    1};
  }
  auto arguments = builder.step(queue, choice, range);
  put(arguments, product.result)
      .numbers(product.result.leading, product.rows, product.columns)
      .scalars(product.beta)
      .flags(product.triangle);
  put_after(arguments, product.after);
}

}  // namespace

void add_scaling(SequenceBuilder& builder, unsigned queue, const Product& product) {
  if (product.items > 1) {
    for (std::size_t item = 0; item < product.items; ++item)
      add_scaling(builder, queue, product.item(item));
    return;
  }
  if (product.form().is_special()) return add_finish(builder, queue, product);
  NDRange range;
  range.global[0] = product.columns;
  auto arguments = builder.step(queue, template_choice(builder, queue, "scale_matrix"), range);
  put(arguments.numbers(product.rows).scalars(product.beta), product.result)
      .numbers(product.result.leading)
      .flags(product.triangle, product.hermitian);
}

namespace {

/// Shares are cut at multiples of this, so that no panel is cut in two.
constexpr std::size_t grain = 64;

/// The column at which a part of the work (from 0 to 1) is done.
std::size_t column_at(Product::Triangle triangle, std::size_t size, double part) {
  const auto columns = static_cast<double>(size);
  double column = columns * part;
  // The columns of a lower triangle get shorter, those of an upper one longer.
  if (triangle == Product::Triangle::lower) column = columns * (1 - std::sqrt(1 - part));
  if (triangle == Product::Triangle::upper) column = columns * std::sqrt(part);
  const auto cut = static_cast<std::size_t>(column / grain + 0.5) * grain;
  return part >= 1 ? size : std::min(cut, size);
}

/// How many elements stand in the first columns.
double elements_before(Product::Triangle triangle, std::size_t size, std::size_t column) {
  const auto all = static_cast<double>(size), columns = static_cast<double>(column);
  if (triangle == Product::Triangle::lower) return columns * (2 * all - columns + 1) / 2;
  if (triangle == Product::Triangle::upper) return columns * (columns + 1) / 2;
  return columns * all;
}

}  // namespace

std::vector<Share> shares_of(SequenceBuilder& builder, std::size_t size,
                             Product::Triangle triangle) {
  double all = 0, done = 0;
  for (unsigned queue = 0; queue < builder.queues(); ++queue)
    all += builder.speed(queue, Limit::arithmetic);
  std::vector<Share> shares;
  std::size_t from = 0;
  for (unsigned queue = 0; queue < builder.queues(); ++queue) {
    done += builder.speed(queue, Limit::arithmetic);
    std::size_t to = queue + 1 == builder.queues() ? size : column_at(triangle, size, done / all);
    // What is too little to share is the first queue's, whose event callers count on.
    if (queue == 0) to = std::max(to, std::min(grain, size));
    if (to > from) shares.push_back({queue, from, to});
    from = std::max(from, to);
  }
  const auto before = [&](std::size_t column) { return elements_before(triangle, size, column); };
  for (const auto& share : shares)
    builder.set_part(share.queue, (before(share.to) - before(share.from)) / before(size));
  return shares;
}

namespace {

/// Columns [from, to) of a product.
Product columns_of(const Product& whole, std::size_t from, std::size_t to) {
  Product part = whole;
  part.columns = to - from;
  part.second = whole.second.at(0, from);
  part.result = whole.result.at(0, from);
  part.after = whole.after.at(0, from);
  if (whole.triangle == Product::Triangle::lower) {
    part.rows = whole.rows - from;
    part.first = whole.first.at(from, 0);
    part.result = whole.result.at(from, from);
  }
  if (whole.triangle == Product::Triangle::upper) part.rows = to;
  return part;
}

/// Rows [from, to) of a product whose result is no triangle.
Product rows_of(const Product& whole, std::size_t from, std::size_t to) {
  Product part = whole;
  part.rows = to - from;
  part.first = whole.first.at(from, 0);
  part.result = whole.result.at(from, 0);
  part.after = whole.after.at(from, 0);
  return part;
}

void add_part(SequenceBuilder& builder, unsigned queue, const Product& part) {
  const bool nothing = builder.call().alpha == Scalar(0) || part.depth == 0;
  nothing ? add_scaling(builder, queue, part) : add_product(builder, queue, part);
}

/// Of an upper triangle, columns [from, to) are a rectangle above a triangle.
void add_columns(SequenceBuilder& builder, const Product& whole, const Share& share) {
  Product part = columns_of(whole, share.from, share.to);
  if (whole.triangle == Product::Triangle::upper && share.from > 0) {
    Product above = part;
    above.rows = share.from;
    above.triangle = Product::Triangle::whole;
    above.hermitian = false;
    add_part(builder, share.queue, above);
    part.rows = share.to - share.from;
    part.first = part.first.at(share.from, 0);
    part.result = part.result.at(share.from, 0);
  }
  add_part(builder, share.queue, part);
}

}  // namespace

void add_shared(SequenceBuilder& builder, const Product& product) {
  if (product.second.stored == Factor::Stored::everywhere) {
    for (const Share& share : shares_of(builder, product.columns, product.triangle))
      add_columns(builder, product, share);
    return;
  }
  for (const Share& share : shares_of(builder, product.rows))
    add_part(builder, share.queue, rows_of(product, share.from, share.to));
}

}  // namespace kiln::blas
