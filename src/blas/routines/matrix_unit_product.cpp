#include <algorithm>
#include <limits>
#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/routines/product.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

bool is_general(const Factor& factor) {
  return factor.stored == Factor::Stored::everywhere &&
         factor.diagonal == Factor::Diagonal::as_is && !factor.scales;
}

constexpr std::size_t rounded_up(std::size_t n, std::size_t to) { return panels_of(n, to) * to; }

/// A factor as the copy engine fetches it: lines that begin a multiple of 16 bytes apart.
struct FetchedFactor {
  Region region;
  bool along_depth = false;
  std::int64_t next = 0;  ///< from an item of a batch to the next
};

/// Adds the steps of one product, or of a batch of them, by the matrix units of Hopper.
class MatrixUnitProduct {
 public:
  MatrixUnitProduct(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder),
        queue_(queue),
        product_(product),
        factors_(product.first.region.stored),
        element_(matrix_unit_bytes(factors_)),
        count_(product.items) {}

  void add() {
    const MatrixUnitPayload plain{
        factors_, product_.result.stored, lies_along(product_.first, false),
        lies_along(product_.second, true), static_cast<std::int64_t>(rows_of_tile())};
    payload_ = with_what_comes_after(plain);
    const auto first = fetchable(product_.first, product_.rows, false);
    const auto second = fetchable(product_.second, product_.columns, true);
    const std::size_t parts = parts_of_depth();
    if (parts == 1) return multiply(first, second, product_.result, next_of(product_.result), 1);
    const std::size_t elements = product_.rows * product_.columns;
    Region sums;
    sums.buffer = builder_.scratch(queue_, 2, count_ * parts * elements * sizeof(float));
    sums.leading = static_cast<std::int64_t>(product_.rows);
    // What comes after does so once they are added.
    const MatrixUnitPayload whole = std::exchange(payload_, plain);
    payload_.result = of_sums();
    multiply(first, second, sums, static_cast<std::int64_t>(elements), parts);
    payload_ = whole;
    gather(sums.buffer, parts);
  }

 private:
  /// Elements from an item of a batch to the next.
  std::int64_t next_of(const Region& region) const { return count_ > 1 ? region.item_step : 0; }

  /// Whether op(region) is contiguous along the depth; what is copied because it is not, will be.
  bool lies_along(const Factor& factor, bool across) const {
    return element_ == 1 || (factor.trans != Transpose::none) != across;
  }

  MatrixUnitPayload with_what_comes_after(MatrixUnitPayload payload) const {
    const AfterProduct& after = product_.after;
    const auto kind = [](bool is_there, const Region& region) {
      return is_there ? region.stored : Storage::native;
    };
    payload.after = after.what;
    payload.bias = kind(after.what.bias != Along::none, after.bias);
    payload.scale = kind(after.what.scale != Along::none, after.scale);
    payload.residual = kind(after.what.residual, after.residual);
    return payload;
  }

  std::size_t tiles(std::size_t rows) const {
    return panels_of(product_.rows, rows) * panels_of(product_.columns, MatrixUnitTile::columns) *
           count_;
  }

  /// The rows of a tile with which the compute units are done first: large tiles are the cheapest
  /// for what they compute, since they fetch the least for it, but may be too few.
  std::size_t rows_of_tile() const {
    struct Choice {
      std::size_t rows, cost;  // of a tile: about the time that it takes
    };
    constexpr Choice choices[] = {{256, 256}, {128, 150}, {64, 100}};
    const auto time = [&](const Choice& choice) {
      return panels_of(tiles(choice.rows), builder_.device(queue_).compute_units) * choice.cost;
    };
    return std::min_element(std::begin(choices), std::end(choices),
                            [&](const Choice& a, const Choice& b) { return time(a) < time(b); })
        ->rows;
  }

  /// Work-groups that share a tile: where the tiles are too few, but the depth is worth sharing.
  std::size_t parts_of_depth() const {
    constexpr std::size_t least_depth = 512;
    const std::size_t units = builder_.device(queue_).compute_units;
    return std::clamp<std::size_t>(units / tiles(static_cast<std::size_t>(payload_.rows)), 1,
                                   std::max<std::size_t>(1, product_.depth / least_depth));
  }

  /// How parts of the depth lie in memory until they are added.
  Storage of_sums() const { return element_ == 1 ? Storage::int32 : Storage::native; }

  KernelChoice kernel(const char* name) const {
    const MatrixUnitGenerator generator;
    return builder_.choose(queue_, generator.family(), generator.version(), payload_, name);
  }

  /// The factor itself, or a copy of it whose lines begin where the copy engine can fetch them.
  /// Integers must lie along the depth, too. `rows`: of a panel of it; `across`: it is the second.
  FetchedFactor fetchable(const Factor& factor, std::size_t rows, bool across) {
    const std::size_t unit = 16 / element_;
    const bool along = (factor.trans != Transpose::none) != across;
    const std::size_t length = along ? product_.depth : rows;
    const std::size_t lines = along ? rows : product_.depth;
    const std::int64_t next = next_of(factor.region);
    const auto is_placed = [&](std::int64_t distance) {
      return distance % static_cast<std::int64_t>(unit) == 0;
    };
    Region region = factor.region;
    if (lines == 1)  // which has no next
      region.leading = static_cast<std::int64_t>(rounded_up(length, unit));
    const bool is_transposed = element_ == 1 && !along;
    if (!is_transposed && is_placed(region.leading) && is_placed(next))
      return {region, along, next};

    const std::size_t items = next == 0 ? 1 : count_;
    const std::size_t to_lines = is_transposed ? length : lines;
    const std::size_t to_leading = rounded_up(is_transposed ? lines : length, 64);
    FetchedFactor copy;
    copy.along_depth = along || is_transposed;
    copy.next = next == 0 ? 0 : static_cast<std::int64_t>(to_lines * to_leading);
    copy.region.leading = static_cast<std::int64_t>(to_leading);
    copy.region.buffer =
        builder_.scratch(queue_, across ? 1 : 0, items * to_lines * to_leading * element_);
    NDRange range;
    range.dimensions = 2;
    range.local = {256, 1, 1};
    constexpr std::size_t most = 32768;  // of a grid along its second dimension; they go on
    range.global = {256, std::min(most, lines * items), 1};
    if (is_transposed)
      range.global = {256 * panels_of(length, 64), std::min(most, panels_of(lines, 64) * items), 1};
    auto arguments =
        builder_.step(queue_, kernel(is_transposed ? "transpose_lines" : "copy_lines"), range);
    put(arguments, factor.region)
        .numbers(factor.region.leading, next, length, lines, items)
        .buffer(copy.region.buffer)
        .numbers(to_leading);
    return copy;
  }

  /// `next`: elements from a result to the next one, of a batch or of parts of the depth.
  void multiply(const FetchedFactor& first, const FetchedFactor& second, const Region& result,
                std::int64_t next, std::size_t parts) {
    const std::size_t groups =
        std::min<std::size_t>(tiles(static_cast<std::size_t>(payload_.rows)) * parts,
                              builder_.device(queue_).compute_units);
    const auto maps = builder_.scratch(queue_, 3, groups * MatrixUnitTile::map_bytes);
    NDRange range;
    range.local[0] = MatrixUnitTile::threads;
    range.global[0] = groups * MatrixUnitTile::threads;
    auto arguments = builder_.step(queue_, kernel("product"), range);
    arguments.buffer(maps);
    for (const auto* factor : {&first, &second})
      put(arguments, factor->region).numbers(factor->region.leading, factor->next);
    put(arguments, result)
        .numbers(result.leading, next, product_.rows, product_.columns, product_.depth, count_,
                 parts);
    if (parts > 1) {
      arguments.scalars(Coefficient(1), Coefficient(0));
      return;
    }
    arguments.scalars(product_.alpha, product_.beta);
    put_what_comes_after(arguments);
  }

  void gather(const cl::Buffer& sums, std::size_t parts) {
    const NDRange range =
        stream_range(builder_.device(queue_), count_ * product_.rows * product_.columns);
    auto arguments = builder_.step(queue_, kernel("gather"), range);
    arguments.buffer(sums).numbers(parts);
    put(arguments, product_.result)
        .numbers(product_.result.leading, next_of(product_.result), product_.rows, product_.columns,
                 count_)
        .scalars(product_.alpha, product_.beta);
    put_what_comes_after(arguments);
  }

  void put_what_comes_after(SequenceBuilder::Arguments& arguments) const {
    const AfterProduct& after = product_.after;
    if (after.what == Epilogue{}) return;
    arguments.numbers(after.bias.item_step, after.scale.item_step, after.residual.item_step);
    put_after(arguments, after);
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  Storage factors_;
  std::size_t element_;  ///< bytes
  std::size_t count_;    ///< of the batch
  MatrixUnitPayload payload_;
};

/// Whether the kernels write a result of this kind for factors of that kind.
bool is_written(Storage result, Storage factors) {
  if (result == Storage::native) return true;
  if (factors == Storage::int8) return result == Storage::int32;
  return result == Storage::half || result == Storage::bfloat16;
}

}  // namespace

bool takes_matrix_units(const SequenceBuilder& builder, unsigned queue, const Product& product) {
  // The copy engine counts elements in 32 bits, a tile beyond the last included.
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max() - 1024;
  if (builder.call().precision != Precision::s || !is_general(product.first) ||
      !is_general(product.second) || product.triangle != Product::Triangle::whole ||
      product.hermitian || product.after.flipped || product.gated == ProductForm::Gated::open ||
      builder.call().invariant)
    return false;
  // Where a factor is the result, too, it would have to be copied first.
  const auto meets = [&](const Factor& factor) {
    return factor.region.slot && factor.region.slot == product.result.slot;
  };
  const Storage factors = product.first.region.stored;
  return matrix_unit_bytes(factors) != 0 && factors == product.second.region.stored &&
         is_written(product.result.stored, factors) && !meets(product.first) &&
         !meets(product.second) &&
         std::max({product.rows, product.columns, product.depth, product.items}) <= most &&
         has_matrix_units(builder.device(queue));
}

void add_matrix_unit_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  MatrixUnitProduct(builder, queue, product).add();
}

}  // namespace kiln::blas
