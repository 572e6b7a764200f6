#pragma once

#include "kiln/mesh/mixed.hpp"

namespace kiln::mesh {

/// A block for each pair of a row part and a column part. Two are equal where their blocks are.
template <class Block>
class MixedBlocks {
 public:
  MixedBlocks(const MixedBlocks&) = default;
  MixedBlocks& operator=(const MixedBlocks&) = default;
  /// Row part by row part. Throws bad_input for a wrong number of blocks, or none.
  MixedBlocks(std::size_t row_parts, std::size_t column_parts, std::vector<Block> blocks)
      : row_parts_(row_parts), column_parts_(column_parts), blocks_(std::move(blocks)) {
    // By division: the product of any two numbers may wrap round.
    if (blocks_.empty() || row_parts == 0 || blocks_.size() % row_parts != 0 ||
        blocks_.size() / row_parts != column_parts)
      throw Error(Errc::bad_input, "mixed: " + std::to_string(blocks_.size()) +
                                       " blocks, expected one or more for each of " +
                                       std::to_string(row_parts) + " x " +
                                       std::to_string(column_parts) + " pairs of parts");
  }
  std::size_t row_parts() const { return row_parts_; }
  std::size_t column_parts() const { return column_parts_; }
  /// Parts below row_parts() and column_parts(): not checked.
  const Block& block(std::size_t row_part, std::size_t column_part) const {
    return blocks_[row_part * column_parts_ + column_part];
  }
  Block& block(std::size_t row_part, std::size_t column_part) {
    return blocks_[row_part * column_parts_ + column_part];
  }
  /// All of them, row part by row part.
  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }
  auto begin() { return blocks_.begin(); }
  auto end() { return blocks_.end(); }
  bool operator==(const MixedBlocks&) const = default;

 private:
  std::size_t row_parts_, column_parts_;
  std::vector<Block> blocks_;
};

/// Which entries a matrix between mixed spaces has. Made by Mesh::sparsity().
using MixedSparsity = MixedBlocks<Sparsity>;

/// A matrix between mixed spaces: a Mat for each pair of parts, which may be used like any other.
/// Made by Mesh::mat(), or of Mats of one type.
class KILN_API MixedMat : public MixedBlocks<Mat> {
 public:
  using MixedBlocks::MixedBlocks;
  /// All entries of all blocks become 0.
  void zero();
  /// These rows of a row part: entries of all its blocks become 0, then the diagonal `diagonal`:
  /// boundary conditions of one part. Block (part, part) has a diagonal (else bad_input).
  void zero_rows(std::size_t part, const Subset& rows, double diagonal = 1);
  void zero_rows(std::size_t part, std::span<const std::int32_t> rows, double diagonal = 1);
  /// As Mat::zero_rows_columns(), for rows of one part and the columns of the same part: of all row
  /// parts b changes. As many row parts as column parts, the parts of x and of b on their row sets
  /// (else bad_input, and nothing is changed).
  void zero_rows_columns(std::size_t part, const Subset& rows, const MixedDat& x, const MixedDat& b,
                         double diagonal = 1);
  void zero_rows_columns(std::size_t part, std::span<const std::int32_t> rows, const MixedDat& x,
                         const MixedDat& b, double diagonal = 1);
  /// The diagonals of blocks (0, 0), (1, 1), …; as many row parts as column parts (else bad_input).
  void diagonal(const MixedDat& to) const;
};

/// Through all components of all Maps: the kernel gets the element's whole matrix, rows and columns
/// of the first part, then of the second, …, as `T *` row-major or as `T m[rows][columns]`. INC and
/// WRITE as for a Mat. All blocks are of one type (else bad_input).
KILN_API MixedArg arg(const MixedMat& mat, const MixedMap& rows, const MixedMap& columns,
                      Access access);

/// y := A x, part by part, as with Mats. No part of y is one of x (else bad_input). What does not
/// fit is refused before anything is computed.
KILN_API void multiply(const MixedMat& mat, const MixedDat& x, const MixedDat& y);

}  // namespace kiln::mesh
