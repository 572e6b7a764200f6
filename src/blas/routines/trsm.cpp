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
      : to_(to), queue_(queue), block_(block_of(to.device(queue))), whole_(whole) {}

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
  void invert() {
    const Call& call = to_.call();
    const std::size_t blocks = panels_of(whole_.size, block_);
    inverses_ = to_.workspace(blocks * block_ * block_ * size_of(call.precision));
    NDRange range;
    range.dimensions = 2;
    range.global = {blocks, block_ / strip, 1};
    auto arguments = to_.step(queue_,
                              template_choice(to_, queue_, "invert_triangles",
                                              {{"block", static_cast<std::int64_t>(block_)},
                                               {"strip", std::int64_t{strip}}}),
                              range);
    arguments.numbers(whole_.size)
        .flags(whole_.upper, whole_.unit)
        .operand(Slot::a)
        .numbers(call[Slot::a].stride)
        .buffer(inverses_);
  }

  /// Unknowns [from, to): rows of B, or columns.
  void solve(std::size_t from, std::size_t to) {
    if (const auto part = whole_.part(from, to); solves_at_once(to_, queue_, part))
      return add_cpu_solve(to_, queue_, part);
    if (to - from <= block_) return apply_inverse(from, to);
    const std::size_t half = panels_of((to - from) / 2, block_) * block_ + from;
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
    const Region block{std::nullopt, inverses_, static_cast<std::int64_t>(from * block_),
                       static_cast<std::int64_t>(block_)};
    const Factor inverse{block, whole_.trans, stored_of(normal_uplo(to_.call()), whole_.trans)};
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
  std::size_t block_;
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
