#pragma once

#include <utility>
#include <vector>

#include "kiln/mesh/map.hpp"

namespace kiln::mesh {

struct SparsityState;
struct MatState;

/// Which entries a matrix has: all pairs of targets that an element reaches through a row Map and a
/// column Map. Compressed rows of blocks, columns rising; where rows and columns are of one set the
/// diagonal is always there. Equal Maps and dimensions give the same Sparsity.
class KILN_API Sparsity {
 public:
  std::size_t rows() const;     ///< of blocks: elements of the row set
  std::size_t columns() const;  ///< of blocks
  std::size_t row_dim() const;  ///< rows of a block
  std::size_t column_dim() const;
  /// rows() + 1 and nonzeros() numbers.
  std::span<const std::int32_t> rowptr() const;
  std::span<const std::int32_t> colidx() const;
  std::size_t nonzeros() const;  ///< blocks
  bool operator==(const Sparsity&) const = default;

 private:
  friend struct Handles;
  explicit Sparsity(std::shared_ptr<SparsityState> state) : state_(std::move(state)) {}
  std::shared_ptr<SparsityState> state_;
};

/// A sparse matrix of one type on the device; loops add element matrices to it or set them.
class KILN_API Mat {
 public:
  const std::string& name() const;
  const Sparsity& sparsity() const;
  ScalarType type() const;
  /// Blocks in the order of colidx(), each row-major: (nonzeros, row_dim, column_dim). Loops that
  /// change them run first. T must be the matrix's type.
  template <class T>
  std::span<const T> values() const {
    return {static_cast<const T*>(host(scalar_type_of<T>(), false)), count()};
  }
  template <class T>
  std::span<T> write() {
    return {static_cast<T*>(host(scalar_type_of<T>(), true)), count()};
  }
  bool operator==(const Mat&) const = default;

 private:
  friend struct Handles;
  explicit Mat(std::shared_ptr<MatState> state) : state_(std::move(state)) {}
  std::size_t count() const;
  void* host(ScalarType type, bool to_write) const;
  std::shared_ptr<MatState> state_;
};

}  // namespace kiln::mesh
