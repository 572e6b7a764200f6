#include <algorithm>
#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/shares.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

/// Sizes of the diagonal blocks that are inverted: `first` by a kernel of its own, which takes less
/// of the device than a product, then by products, twice as large each time, up to `last`. On a GPU
/// what counts is how many launches follow one another.
struct Blocks {
  std::size_t first, last;
  std::size_t strip;  ///< columns of a block that a work-item inverts
};
Blocks blocks_of(const Device& device) {
  return device.type == Device::Type::cpu ? Blocks{128, 128, 16} : Blocks{64, 256, 1};
}

/// The system for some of the right-hand sides: columns of B where A is on the left, else rows;
/// all seen by columns.
TriangularSystem system_of(const Call& call, std::size_t from, std::size_t to) {
  TriangularSystem system;
  system.coefficients = region_of(call, Slot::a);
  system.trans = call.trans_a;
  system.upper = normal_uplo(call) == Uplo::upper;
  system.unit = call.diag == Diag::unit;
  system.left = normal_side(call) == Side::left;
  system.forward =
      (stored_of(normal_uplo(call), call.trans_a) == Factor::Stored::lower) == system.left;
  const Region b = region_of(call, Slot::b);
  system.right_sides = system.left ? b.at(0, from) : b.at(from, 0);
  system.size = square_of(call);
  system.others = to - from;
  system.alpha = call_alpha;
  return system;
}

/// Solves by halves: the first half's solution is taken out of the second's right-hand sides by a
/// product. The leaves of this recursion are, on CPUs, systems that one launch solves; elsewhere,
/// and where there are few right-hand sides, products with the inverted diagonal blocks. (For the
/// method's accuracy see Du Croz and Higham, Stability of methods for matrix inversion, 1992.)
class TriangularSolve {
 public:
  TriangularSolve(SequenceBuilder& to, unsigned queue, const TriangularSystem& whole)
      : to_(to), queue_(queue), blocks_(blocks_of(to.device(queue))), whole_(whole) {}

  void add_steps() {
    const Scalar alpha = to_.call().alpha;
    const bool is_scaled = alpha != Scalar(1);
    if (is_scaled && alpha != Scalar(0) && solves_at_once(to_, queue_, whole_))
      return add_cpu_solve(to_, queue_, whole_);
    Product scaled = product_of(0, whole_.size);
    scaled.beta = call_alpha;
    if (is_scaled) add_scaling(to_, queue_, scaled);
    if (alpha != Scalar(0)) solve(0, whole_.size);
  }

 private:
  /// Blocks of blocks_.last, whole ones by columns with no gaps between them.
  void invert() {
    const std::size_t size = whole_.size, last = blocks_.last;
    inverses_ = to_.workspace(panels_of(size, last) * last * last * size_of(to_.call().precision));
    invert_first();
    // Blocks that are as large as can be are done together, the rest of the matrix by itself.
    for (std::size_t half = blocks_.first; half < last; half *= 2)
      for (std::size_t at = 0; at < last; at += 2 * half) {
        if (size >= last) join_inverses(at, half, half, size / last);
        if (at + half < size % last)
          join_inverses(size / last * last + at, half, std::min(half, size % last - at - half), 1);
      }
  }

  void invert_first() {
    NDRange range;
    range.dimensions = 2;
    range.global = {blocks_.first / blocks_.strip, panels_of(whole_.size, blocks_.first), 1};
    // On a GPU the columns of a block side by side; A's element is one for all of them.
    if (blocks_.strip == 1) range.local = {blocks_.first, 1, 1};
    auto arguments =
        to_.step(queue_,
                 template_choice(to_, queue_, "invert_triangles",
                                 {{"block", static_cast<std::int64_t>(blocks_.first)},
                                  {"last", static_cast<std::int64_t>(blocks_.last)},
                                  {"strip", static_cast<std::int64_t>(blocks_.strip)}}),
                 range);
    arguments.numbers(whole_.size)
        .flags(whole_.upper, whole_.unit)
        .operand(Slot::a)
        .numbers(to_.call()[Slot::a].stride)
        .buffer(inverses_);
  }

  /// Where the inverse of the matrix's diagonal block that begins at `at` has a row and a column.
  Region inverse_at(std::size_t at, std::size_t row, std::size_t column) const {
    const std::size_t last = blocks_.last, inside = at % last;
    Region region{std::nullopt, inverses_, static_cast<std::int64_t>(at / last * last * last),
                  static_cast<std::int64_t>(last)};
    region.item_step = static_cast<std::int64_t>(last * last);
    return region.at(inside + row, inside + column);
  }

  /// Makes of the inverses of two blocks, of sizes `half` and `rest`, the first of which begins at
  /// `at`, that of both: with A = (P 0; Q R) the part that is missing is -R^-1 Q P^-1, with (P Q; 0
  /// R) it is -P^-1 Q R^-1. For `items` of them, blocks_.last apart.
  void join_inverses(std::size_t at, std::size_t half, std::size_t rest, std::size_t items) {
    const auto stored = whole_.upper ? Factor::Stored::upper : Factor::Stored::lower;
    const Factor first{inverse_at(at, 0, 0), Transpose::none, stored};
    const Factor second{inverse_at(at, half, half), Transpose::none, stored};
    Factor between{whole_.upper ? whole_.coefficients.at(at, at + half)
                                : whole_.coefficients.at(at + half, at)};
    between.region.item_step =
        static_cast<std::int64_t>(blocks_.last) * (whole_.coefficients.leading + 1);

    Product product;
    product.rows = whole_.upper ? half : rest;
    product.columns = whole_.upper ? rest : half;
    product.depth = product.columns;
    product.items = items;
    product.first = between;
    product.second = whole_.upper ? second : first;
    product.alpha = 1;
    product.beta = 0;
    product.result.buffer = to_.workspace(items * half * rest * size_of(to_.call().precision));
    product.result.leading = static_cast<std::int64_t>(product.rows);
    product.result.item_step = static_cast<std::int64_t>(half * rest);
    add_product(to_, queue_, product);

    product.second = {product.result};
    product.first = whole_.upper ? first : second;
    product.depth = product.rows;
    product.alpha = -1;
    product.result = whole_.upper ? inverse_at(at, 0, half) : inverse_at(at, half, 0);
    add_product(to_, queue_, product);
  }

  /// Unknowns [from, to): rows of B, or columns.
  void solve(std::size_t from, std::size_t to) {
    if (const auto part = whole_.part(from, to); solves_at_once(to_, queue_, part))
      return add_cpu_solve(to_, queue_, part);
    if (to - from <= blocks_.last) return apply_inverse(from, to);
    const std::size_t half = panels_of((to - from) / 2, blocks_.last) * blocks_.last + from;
    if (whole_.forward) {
      solve(from, half);
      update(from, half, half, to);
      solve(half, to);
    } else {
      solve(half, to);
      update(half, to, from, half);
      solve(from, half);
    }
  }

  /// A product that changes what B has for unknowns [from, to).
  Product product_of(std::size_t from, std::size_t to) const {
    Product product;
    product.rows = whole_.left ? to - from : whole_.others;
    product.columns = whole_.left ? whole_.others : to - from;
    product.result = whole_.unknowns(from);
    return product;
  }

  /// Sets what a product multiplies: something of A's side, and rows or columns of B.
  void put_factors(Product& product, const Factor& of_a, const Region& of_b) const {
    product.first = of_a;
    product.second = {of_b};
    if (!whole_.left) std::swap(product.first, product.second);
  }

  void apply_inverse(std::size_t from, std::size_t to) {
    if (inverses_() == nullptr) invert();
    Product product = product_of(from, to);
    product.depth = to - from;
    const Factor inverse{inverse_at(from, 0, 0), whole_.trans,
                         stored_of(normal_uplo(to_.call()), whole_.trans)};
    put_factors(product, inverse, product.result);
    product.beta = 0;
    add_product(to_, queue_, product);
  }

  /// Takes what is known ([known, known_end)) out of the right-hand sides of [from, to).
  void update(std::size_t known, std::size_t known_end, std::size_t from, std::size_t to) {
    Product product = product_of(from, to);
    product.depth = known_end - known;
    const Factor coefficients{whole_.coefficients, whole_.trans};
    put_factors(product, whole_.left ? coefficients.at(from, known) : coefficients.at(known, from),
                whole_.unknowns(known));
    product.alpha = -1;
    add_product(to_, queue_, product);
  }

  SequenceBuilder& to_;
  unsigned queue_;
  Blocks blocks_;
  TriangularSystem whole_;
  cl::Buffer inverses_;
};

}  // namespace

// Each queue solves for right-hand sides of its own, and inverts the diagonal blocks for itself:
// that is little, and to wait for another's would be more.
void add_trsm(SequenceBuilder& to) {
  const Call& call = to.call();
  for (const Share& share : shares_of(to, call.side == Side::left ? call.n : call.m))
    TriangularSolve(to, share.queue, system_of(call, share.from, share.to)).add_steps();
}

}  // namespace kiln::blas
