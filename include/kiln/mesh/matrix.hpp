#pragma once

#include <utility>
#include <vector>

#include "kiln/mesh/data.hpp"

namespace kiln::mesh {

struct SparsityState;
struct MatState;

/// Which entries a matrix has: all pairs of targets that an element reaches through a row Map and a
/// column Map. Compressed rows of blocks, columns rising; where rows and columns are of one set the
/// diagonal is always there. Equal Maps and dimensions give the same Sparsity.
class KILN_API Sparsity : public Handle<SparsityState> {
 public:
  std::size_t rows() const;     ///< of blocks: elements of the row set
  std::size_t columns() const;  ///< of blocks
  std::size_t row_dim() const;  ///< rows of a block
  std::size_t column_dim() const;
  /// rows() + 1 and nonzeros() numbers.
  std::span<const std::int32_t> rowptr() const;
  std::span<const std::int32_t> colidx() const;
  std::size_t nonzeros() const;  ///< blocks

 private:
  using Handle::Handle;
};

/// A sparse matrix of one type on the device; loops add element matrices to it or set them. What
/// changes it comes after the loops that were called before. Diagonals are of matrices whose rows
/// and columns are of one set, in blocks that are square (else bad_input).
class KILN_API Mat : public Handle<MatState> {
 public:
  const std::string& name() const;
  const Sparsity& sparsity() const;
  ScalarType type() const;
  /// Blocks in the order of colidx(), each row-major: (nonzeros, row_dim, column_dim). Loops that
  /// change them run first. Valid until the next loop or call that uses the matrix. T must be the
  /// matrix's type (bad_input).
  template <class T>
  std::span<const T> values() const {
    return {static_cast<const T*>(host(scalar_type_of<T>(), false)), count()};
  }
  /// The same to be changed: the device gets them with the next loop or call.
  template <class T>
  std::span<T> write() {
    return {static_cast<T*>(host(scalar_type_of<T>(), true)), count()};
  }

  /// All entries become 0.
  void zero();
  /// All entries of these block rows become 0, then their diagonal `diagonal`: boundary conditions.
  /// Their columns stay, so that a symmetric matrix is none any more: solve() then is right only if
  /// the solution begins with the boundary's values there; zero_rows_columns() keeps the symmetry.
  /// Throws bad_input for rows outside the row set, or of another set.
  void zero_rows(const Subset& rows, double diagonal = 1);
  void zero_rows(std::span<const std::int32_t> rows, double diagonal = 1);
  /// Boundary conditions that keep a matrix symmetric (PETSc: MatZeroRowsColumns): the unknowns of
  /// these block rows are to be what `x` holds there. All entries of these rows and of the columns
  /// of the same numbers become 0, the diagonal `diagonal`; `b`, a right-hand side, loses in all
  /// other rows what those columns gave with x, and becomes diagonal x in these. x is read there
  /// only. x and b are Dats on the row set, of the matrix's type, with row_dim components, not the
  /// same one (else bad_input, as for matrices that are not square). Of a part of a distributed set
  /// `rows` has the copies, too, of rows that others own; b is changed for owned rows.
  void zero_rows_columns(const Subset& rows, const Dat& x, const Dat& b, double diagonal = 1);
  void zero_rows_columns(std::span<const std::int32_t> rows, const Dat& x, const Dat& b,
                         double diagonal = 1);
  /// As zero_rows(), without a diagonal, which not every matrix has.
  void clear_rows(const Subset& rows);
  /// The diagonal alone: of all rows or of some.
  void set_diagonal(double value);
  void set_diagonal(const Subset& rows, double value);
  void set_diagonal(std::span<const std::int32_t> rows, double value);
  /// From a Dat on the row set, of the matrix's type, with row_dim components.
  void set_diagonal(const Dat& values);
  /// The diagonal into such a Dat.
  void diagonal(const Dat& to) const;

  /// A few entries from the host: block rows times block columns, `values` row-major, that is
  /// (rows.size() * row_dim, columns.size() * column_dim). Slow: all of the matrix comes to the
  /// host and goes back; what is large is assembled by a loop. Throws bad_input where the sparsity
  /// lacks an entry, and changes nothing then.
  template <class T>
  void add_values(std::span<const std::int32_t> rows, std::span<const std::int32_t> columns,
                  std::span<const T> values) {
    put(scalar_type_of<T>(), rows, columns, values.data(), values.size(), true);
  }
  template <class T>
  void set_values(std::span<const std::int32_t> rows, std::span<const std::int32_t> columns,
                  std::span<const T> values) {
    put(scalar_type_of<T>(), rows, columns, values.data(), values.size(), false);
  }

 private:
  using Handle::Handle;
  void put(ScalarType type, std::span<const std::int32_t> rows,
           std::span<const std::int32_t> columns, const void* values, std::size_t count, bool adds);
  std::size_t count() const;
  void* host(ScalarType type, bool to_write) const;
};

/// y := A x for the owned rows. x is on the column set with column_dim components, y on the row set
/// with row_dim, both of the matrix's type; y is another Dat than x. Enqueued after the loops that
/// it depends on; nothing is waited for but an exchange of x's halo, where that is stale. Throws
/// bad_input.
KILN_API void multiply(const Mat& mat, const Dat& x, const Dat& y);
/// y := y + A x, likewise.
KILN_API void multiply_add(const Mat& mat, const Dat& x, const Dat& y);

}  // namespace kiln::mesh
