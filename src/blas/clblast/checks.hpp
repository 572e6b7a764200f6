#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>

#include "blas/clblast/interface.hpp"

// The checks of arguments that CLBlast makes, in its order and with its status codes. What it
// leaves unchecked is checked by the call itself, for the sake of the memory around.
namespace kiln::clblast {

using ::clblast::StatusCode;

/// Operands as the interface passes them. Elements of the interface's type.
struct MatrixArgument {
  cl_mem memory;
  std::size_t offset, ld;
};
struct VectorArgument {
  cl_mem memory;
  std::size_t offset, inc;
  /// Increments are passed as size_t; CLBlast's kernels take them for int. One below zero leads
  /// from the offset to lower addresses.
  std::ptrdiff_t step() const { return static_cast<std::ptrdiff_t>(inc); }
};
struct BlockArgument {
  cl_mem memory;
  std::size_t offset;
};

/// The operands that status codes tell apart.
enum class Name { a, b, c, x, y };

/// Collects the checks of a call: the first one that fails is the status.
class Checks {
 public:
  /// `element`: bytes of the call's type.
  Checks(std::size_t element, const cl_command_queue* queue);

  /// Enumerators that exist.
  template <class... Options>
  Checks& options(Options... values) {
    if (!(is_known(values) && ...)) refuse(StatusCode::kInvalidValue);
    return *this;
  }
  Checks& batches(std::size_t count) {
    if (count == 0) refuse(StatusCode::kInvalidBatchCount);
    return *this;
  }
  Checks& sizes(std::initializer_list<std::size_t> values);
  /// `length` elements in a row (or column), and so many of these.
  Checks& matrix(Name name, std::size_t length, std::size_t lines, const MatrixArgument& matrix);
  /// A matrix of rows x columns.
  Checks& matrix(Name name, ::clblast::Layout layout, std::size_t rows, std::size_t columns,
                 const MatrixArgument& argument) {
    const bool by_rows = layout == ::clblast::Layout::kRowMajor;
    return matrix(name, by_rows ? columns : rows, by_rows ? rows : columns, argument);
  }
  /// op(matrix) is rows x columns.
  Checks& matrix(Name name, ::clblast::Layout layout, ::clblast::Transpose trans, std::size_t rows,
                 std::size_t columns, const MatrixArgument& argument) {
    return trans == ::clblast::Transpose::kNo ? matrix(name, layout, rows, columns, argument)
                                              : matrix(name, layout, columns, rows, argument);
  }
  /// Elements without gaps.
  Checks& elements(Name name, std::size_t count, const BlockArgument& block);
  /// A packed triangle of n rows.
  Checks& packed(Name name, std::size_t n, const BlockArgument& block);
  /// A triangle of n rows: in a matrix, or packed.
  Checks& triangle(Name name, std::size_t n, const MatrixArgument& argument) {
    return matrix(name, n, n, argument);
  }
  Checks& triangle(Name name, std::size_t n, const BlockArgument& block) {
    return packed(name, n, block);
  }
  Checks& vector(Name name, std::size_t n, const VectorArgument& vector);
  /// Results of `bytes` each.
  Checks& results(std::size_t count, std::size_t bytes, const BlockArgument& block);

  bool failed() const { return status_ != StatusCode::kSuccess; }
  StatusCode status() const { return status_; }

 private:
  /// Whether a value is one of an enumeration's, which are numbered without gaps.
  template <class Option>
  static bool is_known(Option value) {
    const int number = static_cast<int>(value);
    if constexpr (std::same_as<Option, ::clblast::Transpose>)
      return number >= 111 && number <= 113;
    else if constexpr (std::same_as<Option, ::clblast::Layout>)
      return number == 101 || number == 102;
    else if constexpr (std::same_as<Option, ::clblast::Triangle>)
      return number == 121 || number == 122;
    else if constexpr (std::same_as<Option, ::clblast::Diagonal>)
      return number == 131 || number == 132;
    else if constexpr (std::same_as<Option, ::clblast::Side>)
      return number == 141 || number == 142;
    else
      return number == 151 || number == 152;  // KernelMode
  }
  void refuse(StatusCode status) {
    if (!failed()) status_ = status;
  }
  /// Whether `memory` is a buffer with so many elements from its start.
  void room(cl_mem memory, std::size_t elements, std::size_t bytes, StatusCode invalid,
            StatusCode small);

  StatusCode status_ = StatusCode::kSuccess;
  std::size_t element_;
};

}  // namespace kiln::clblast
