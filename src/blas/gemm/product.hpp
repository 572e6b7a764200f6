#pragma once

#include <optional>

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

/// A matrix that a product reads or writes: an argument of the call or workspace, in column-major
/// order (a row-major matrix is the transpose of the column-major one).
struct Region {
  std::optional<Slot> slot;  ///< else `buffer`
  cl::Buffer buffer;
  std::int64_t add = 0;  ///< elements, to the argument's offset
  std::int64_t leading = 0;

  Region at(std::size_t row, std::size_t column) const {
    Region part = *this;
    part.add += static_cast<std::int64_t>(row) + static_cast<std::int64_t>(column) * leading;
    return part;
  }
};

/// A factor of a product: op(region), with what its other triangle and its diagonal stand for.
/// The numbers are those of templates/matrix_element.cl.
struct Factor {
  enum class Stored : int { everywhere, lower, upper };  ///< of op(region)
  enum class Outside : int { zeros, mirrored, mirrored_conjugate };
  enum class Diagonal : int { as_is, ones, real };
  Region region;
  Transpose trans = Transpose::none;
  Stored stored = Stored::everywhere;
  Outside outside = Outside::zeros;
  Diagonal diagonal = Diagonal::as_is;

  bool is_triangular() const { return stored != Stored::everywhere && outside == Outside::zeros; }
};

/// C = alpha first second + beta C, with C rows x columns. C may lie where a factor does, whole:
/// all of the factors is then copied before any of C is written.
struct Product {
  enum class Triangle : int { whole, lower, upper };
  /// A scalar of the call, or a constant.
  struct Coefficient {
    enum class From : std::uint8_t { constant, alpha, conjugate_alpha, beta };
    From from = From::constant;
    Scalar value{1};
  };
  std::size_t rows = 0, columns = 0, depth = 0;
  Factor first, second;
  Region result;
  Coefficient alpha{}, beta{};
  Triangle triangle = Triangle::whole;
  bool hermitian = false;  ///< the result's diagonal has no imaginary part
};

/// Sets the next argument of a kernel to a coefficient; the next two to a region's memory and
/// offset.
SequenceBuilder::Arguments& put(SequenceBuilder::Arguments& to,
                                const Product::Coefficient& coefficient, Precision precision);
SequenceBuilder::Arguments& put(SequenceBuilder::Arguments& to, const Region& region);

/// Adds the steps of a product on a queue. `depth` 0 is no product: nothing is added.
void add_product(SequenceBuilder& builder, unsigned queue, const Product& product);

}  // namespace kiln::blas
