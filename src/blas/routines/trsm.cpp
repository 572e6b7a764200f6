#include <utility>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"
#include "blas/routines/routines.hpp"
#include "blas/routines/shares.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

/// How many columns of a diagonal block a work-item inverts.
constexpr std::size_t strip = 16;

/// Size of the diagonal blocks that are inverted: fewer launches against less work without the
/// product's speed.
std::size_t block_of(const Device& device) { return device.type == Device::Type::cpu ? 128 : 64; }

/// Rows and columns of B, seen by columns.
std::pair<std::size_t, std::size_t> shape_of_b(const Call& call) {
  if (call.order == Order::column_major) return {call.m, call.n};
  return {call.n, call.m};
}

/// Solves by halves: the first half's solution is taken out of the second's right-hand sides by a
/// product. The leaves of this recursion are, on CPUs, systems that one launch solves; elsewhere,
/// and where there are few right-hand sides, products with the inverted diagonal blocks. (For the
/// method's accuracy see Du Croz and Higham, Stability of methods for matrix inversion, 1992.)
class TriangularSolve {
 public:
  /// For the right-hand sides of a share: columns of B where A is on the left, else rows.
  TriangularSolve(SequenceBuilder& to, const Share& share)
      : to_(to),
        queue_(share.queue),
        block_(block_of(to.device(queue_))),
        left_(normal_side(to.call()) == Side::left),
        // Whether the unknowns with low numbers come first.
        forward_((stored_of(normal_uplo(to.call()), to.call().trans_a) == Factor::Stored::lower) ==
                 left_),
        b_(left_ ? region_of(to.call(), Slot::b).at(0, share.from)
                 : region_of(to.call(), Slot::b).at(share.from, 0)) {
    const auto [rows, columns] = shape_of_b(to.call());
    size_ = left_ ? rows : columns;
    rows_ = left_ ? rows : share.to - share.from;
    columns_ = left_ ? share.to - share.from : columns;
  }

  void add_steps() {
    const bool is_scaled = to_.call().alpha != Scalar(1);
    if (is_scaled && to_.call().alpha != Scalar(0) && at_once(size_))
      return solve_at_once(0, size_, call_alpha);
    Product scaled;
    scaled.rows = rows_;
    scaled.columns = columns_;
    scaled.result = b_;
    scaled.beta = call_alpha;
    if (is_scaled) add_scaling(to_, queue_, scaled);
    if (to_.call().alpha == Scalar(0)) return;
    solve(0, size_);
  }

 private:
  bool at_once(std::size_t unknowns) const {
    return solves_at_once(to_, queue_, unknowns, left_ ? columns_ : rows_, left_);
  }

  void solve_at_once(std::size_t from, std::size_t to, const Coefficient& alpha) {
    const Call& call = to_.call();
    TriangularSystem system;
    system.coefficients = region_of(call, Slot::a).at(from, from);
    system.trans = call.trans_a;
    system.upper = normal_uplo(call) == Uplo::upper;
    system.unit = call.diag == Diag::unit;
    system.left = left_;
    system.forward = forward_;
    system.right_sides = unknowns(from);
    system.size = to - from;
    system.others = left_ ? columns_ : rows_;
    system.alpha = alpha;
    add_cpu_solve(to_, queue_, system);
  }

  void invert() {
    const Call& call = to_.call();
    const std::size_t blocks = panels_of(size_, block_);
    inverses_ = to_.workspace(blocks * block_ * block_ * size_of(call.precision));
    NDRange range;
    range.dimensions = 2;
    range.global = {blocks, block_ / strip, 1};
    auto arguments = to_.step(queue_,
                              template_choice(to_, queue_, "invert_triangles",
                                              {{"block", static_cast<std::int64_t>(block_)},
                                               {"strip", std::int64_t{strip}}}),
                              range);
    arguments.numbers(size_)
        .flags(normal_uplo(call) == Uplo::upper, call.diag == Diag::unit)
        .operand(Slot::a)
        .numbers(call[Slot::a].stride)
        .buffer(inverses_);
  }

  /// Unknowns [from, to): rows of B, or columns.
  void solve(std::size_t from, std::size_t to) {
    if (at_once(to - from)) return solve_at_once(from, to, {});
    if (to - from <= block_) return apply_inverse(from, to);
    const std::size_t half = panels_of((to - from) / 2, block_) * block_ + from;
    if (forward_) {
      solve(from, half);
      update(from, half, half, to);
      solve(half, to);
    } else {
      solve(half, to);
      update(half, to, from, half);
      solve(from, half);
    }
  }

  Product product_of(std::size_t from, std::size_t to) const {
    Product product;
    product.rows = left_ ? to - from : rows_;
    product.columns = left_ ? columns_ : to - from;
    product.result = unknowns(from);
    return product;
  }
  /// Where B has the unknowns from one on.
  Region unknowns(std::size_t from) const { return left_ ? b_.at(from, 0) : b_.at(0, from); }

  /// Sets what a product multiplies: something of A's side, and rows or columns of B.
  void put_factors(Product& product, const Factor& of_a, const Region& of_b) const {
    product.first = of_a;
    product.second = {of_b};
    if (!left_) std::swap(product.first, product.second);
  }

  void apply_inverse(std::size_t from, std::size_t to) {
    const Call& call = to_.call();
    if (inverses_() == nullptr) invert();
    Product product = product_of(from, to);
    product.depth = to - from;
    const Region block{std::nullopt, inverses_, static_cast<std::int64_t>(from * block_),
                       static_cast<std::int64_t>(block_)};
    const Factor inverse{block, call.trans_a, stored_of(normal_uplo(call), call.trans_a)};
    put_factors(product, inverse, product.result);
    product.beta = 0;
    add_product(to_, queue_, product);
  }

  /// Takes what is known ([known, known_end)) out of the right-hand sides of [from, to).
  void update(std::size_t known, std::size_t known_end, std::size_t from, std::size_t to) {
    const Call& call = to_.call();
    Product product = product_of(from, to);
    product.depth = known_end - known;
    const Factor coefficients{region_of(call, Slot::a), call.trans_a};
    put_factors(product, coefficients.at(left_ ? from : known, left_ ? known : from),
                unknowns(known));
    product.alpha = -1;
    add_product(to_, queue_, product);
  }

  SequenceBuilder& to_;
  unsigned queue_;
  std::size_t block_;
  bool left_, forward_;
  Region b_;
  std::size_t rows_ = 0, columns_ = 0, size_ = 0;
  cl::Buffer inverses_;
};

}  // namespace

// Each queue solves for right-hand sides of its own, and inverts the diagonal blocks for itself:
// that is little, and to wait for another's would be more.
void add_trsm(SequenceBuilder& to) {
  const auto [rows, columns] = shape_of_b(to.call());
  for (const Share& share : shares_of(to, normal_side(to.call()) == Side::left ? columns : rows))
    TriangularSolve(to, share).add_steps();
}

}  // namespace kiln::blas
