#pragma once

#include <optional>

#include "blas/generator/gemm_generator.hpp"
#include "blas/sequence/sequence_builder.hpp"

// What all of level 3 is built on: the product of two factors, each of which may be a triangle or
// half of a symmetric matrix, and on CPUs the solution of a triangular system by the same tiles.
namespace kiln::blas {

/// A matrix that a product reads or writes: an argument of the call or workspace, in column-major
/// order (a row-major matrix is the transpose of the column-major one).
struct Region {
  std::optional<Slot> slot;  ///< else `buffer`
  cl::Buffer buffer;
  std::int64_t add = 0;  ///< elements, to the argument's offset
  std::int64_t leading = 0;
  Storage stored = Storage::native;
  std::int64_t item_step = 0;  ///< elements from an item of a batch to the next

  Region at(std::size_t row, std::size_t column) const {
    Region part = *this;
    part.add += static_cast<std::int64_t>(row) + static_cast<std::int64_t>(column) * leading;
    return part;
  }
};

/// A factor of a product: op(region), with what its other triangle and its diagonal stand for.
/// The numbers are those of the template matrix_element.
struct Factor {
  enum class Stored : int { everywhere, lower, upper };  ///< of op(region)
  enum class Outside : int { zeros, mirrored, mirrored_conjugate };
  enum class Diagonal : int { as_is, ones, real };
  Region region;
  Transpose trans = Transpose::none;
  Stored stored = Stored::everywhere;
  Outside outside = Outside::zeros;
  Diagonal diagonal = Diagonal::as_is;
  /// A scale for each `group` elements in the depth: a half, `groups` of them for each line of the
  /// product. Nothing: there are none.
  std::optional<Slot> scales;
  std::size_t group = 1, groups = 0;
  std::int64_t first_scale = 0;
  std::int64_t scale_item_step = 0;  ///< from an item of a batch to the next

  /// The part of it that begins at a row and a column of op(region); the depth of one with scales
  /// is not cut.
  Factor at(std::size_t row, std::size_t column) const {
    Factor part = *this;
    part.region = trans == Transpose::none ? region.at(row, column) : region.at(column, row);
    part.first_scale += static_cast<std::int64_t>((row + column) * groups);
    return part;
  }
  bool is_triangular() const { return stored != Stored::everywhere && outside == Outside::zeros; }
};

/// What the result of a product goes through, by its rows and columns. `bias` and `scale` are
/// vectors, with their increment as `leading`.
struct AfterProduct {
  Epilogue what{};
  Region bias, scale, residual;
  bool flipped = false;  ///< the residual is by rows

  AfterProduct at(std::size_t row, std::size_t column) const {
    AfterProduct part = *this;
    const auto move = [&](Region& vector, Along along) {
      vector.add += static_cast<std::int64_t>(along == Along::rows ? row : column) * vector.leading;
    };
    move(part.bias, what.bias);
    move(part.scale, what.scale);
    part.residual = residual.at(row, column);
    return part;
  }
};

/// C = alpha first second + beta C, with C rows x columns, and what comes after. C may lie where a
/// factor does, whole: all of the factors is then copied before any of C is written.
struct Product {
  enum class Triangle : int { whole, lower, upper };
  std::size_t rows = 0, columns = 0, depth = 0;
  Factor first, second;
  Region result;
  Coefficient alpha, beta;
  Triangle triangle = Triangle::whole;
  bool hermitian = false;  ///< the result's diagonal has no imaginary part
  AfterProduct after{};
  std::size_t items = 1;  ///< of a batch
  ProductForm::Gated gated = ProductForm::Gated::no;
  cl::Buffer gate{};     ///< an int, where it is gated
  bool flipped = false;  ///< ProductForm::flipped

  /// One of a batch.
  Product item(std::size_t index) const {
    Product one = *this;
    one.items = 1;
    for (Region* region : {&one.first.region, &one.second.region, &one.result, &one.after.bias,
                           &one.after.scale, &one.after.residual})
      region->add += static_cast<std::int64_t>(index) * region->item_step;
    for (Factor* factor : {&one.first, &one.second})
      factor->first_scale += static_cast<std::int64_t>(index) * factor->scale_item_step;
    return one;
  }

  ProductForm form() const {
    return {first.region.stored,
            second.region.stored,
            result.stored,
            first.scales.has_value(),
            second.scales.has_value(),
            after.what,
            after.bias.stored,
            after.scale.stored,
            after.residual.stored,
            gated,
            flipped};
  }
};

/// Sets the next two arguments of a kernel to a region's memory and offset.
SequenceBuilder::Arguments& put(SequenceBuilder::Arguments& to, const Region& region);

/// Adds the steps of a product on a queue; of a batch for each item. `depth` 0 is no product:
/// nothing is added.
void add_product(SequenceBuilder& builder, unsigned queue, const Product& product);

// ---- What the forms of a product for CPUs and for GPUs share

/// The kernels of a product for a queue's device. `small`: for a result that is too small to fill
/// the device with large tiles.
KernelChoice gemm_choice(const SequenceBuilder& builder, unsigned queue, const ProductForm& form,
                         bool small, std::string kernel);

/// Sets the arguments that describe a factor, from its memory to `conjugated`. `across`: it is the
/// second factor, whose panels lie across the columns of op(region).
SequenceBuilder::Arguments& put_factor(SequenceBuilder::Arguments& to, const Factor& factor,
                                       bool across);

/// Sets the arguments of the kernel `product` from the result's memory to `range`.
SequenceBuilder::Arguments& put_result(SequenceBuilder::Arguments& to, const Product& product);

/// Sets the arguments that say which scales the factors have, where one has any.
SequenceBuilder::Arguments& put_scales(SequenceBuilder::Arguments& to, const Product& product);

/// Sets the arguments that say what comes after a product that is_special().
SequenceBuilder::Arguments& put_after(SequenceBuilder::Arguments& to, const AfterProduct& after);

/// Adds the steps of a product of real types one of whose factors has a few columns, or rows, and
/// is bound by reading the other one (the templates skinny_*). Returns false, and adds nothing, for
/// others.
bool add_skinny_product(SequenceBuilder& builder, unsigned queue, const Product& product);

/// Adds the steps of a product of doubles by way of bytes, and of one that is computed instead
/// where that is not exact enough. Returns false, and adds nothing, where the call does not ask for
/// it, or the product has more to it.
bool add_emulated_product(SequenceBuilder& builder, unsigned queue, const Product& product);

/// Adds the steps of a product on a CPU whose work-items share the depth, where the result is small
/// and the depth great (the template deep_parts). Returns false, and adds nothing, for others.
bool add_deep_product(SequenceBuilder& builder, unsigned queue, const Product& product);

/// Sets the last argument of kernels that are gated.
inline void put_gate(SequenceBuilder::Arguments& to, const Product& product) {
  if (product.gated != ProductForm::Gated::no) to.buffer(product.gate);
}

/// The forms of add_product().
void add_cpu_product(SequenceBuilder& builder, unsigned queue, const Product& product);
void add_gpu_product(SequenceBuilder& builder, unsigned queue, const Product& product);

/// The end of a product on a GPU whose sums (of op(A) op(B) alone: floats, of integers int32)
/// lie in workspace, column by column, item after item.
void add_gpu_gather(SequenceBuilder& builder, unsigned queue, const Product& product,
                    const cl::Buffer& sums);

/// Whether the matrix units of a queue's device compute a product as it is (templates/
/// matrix_units.cl): one of gemm, of 16-bit or 8-bit factors, with what comes after, on a Hopper; a
/// batch is one product.
bool takes_matrix_units(const SequenceBuilder& builder, unsigned queue, const Product& product);
void add_matrix_unit_product(SequenceBuilder& builder, unsigned queue, const Product& product);

// ---- Triangular systems on CPUs
/// op(A) X = alpha B (`left`) or X op(A) = alpha B, with A triangular and X where B is.
struct TriangularSystem {
  Region coefficients;  ///< A, `size` x `size`
  Transpose trans = Transpose::none;
  bool upper = false;  ///< A as it is stored
  bool unit = false;   ///< A's diagonal is ones, not read
  bool left = true;
  bool forward = true;  ///< the unknowns with low numbers come first
  Region right_sides;   ///< B: size x others, or others x size
  std::size_t size = 0, others = 0;
  Coefficient alpha;

  /// Where B has the unknowns from one on.
  Region unknowns(std::size_t from) const {
    return left ? right_sides.at(from, 0) : right_sides.at(0, from);
  }
  /// The system of unknowns [from, to), when what the others mean for it has been taken out.
  TriangularSystem part(std::size_t from, std::size_t to) const {
    TriangularSystem some = *this;
    some.coefficients = coefficients.at(from, from);
    some.right_sides = unknowns(from);
    some.size = to - from;
    some.alpha = 1;
    return some;
  }
};

/// Whether add_cpu_solve() suits a system on a queue's device: a CPU with right-hand sides for all
/// of its compute units, and a matrix of which a packed copy is no burden.
bool solves_at_once(const SequenceBuilder& builder, unsigned queue, const TriangularSystem& system);

/// Adds the one step that solves a system on a CPU (the template solve_tasks).
void add_cpu_solve(SequenceBuilder& builder, unsigned queue, const TriangularSystem& system);

}  // namespace kiln::blas
