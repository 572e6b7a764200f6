#pragma once

#include "mesh/loop/launch_times.hpp"
#include "mesh/object/state.hpp"

namespace kiln::mesh {

/// What is done to matrices beside assembling them.
enum class MatrixOperation : std::uint8_t {
  multiply,
  diagonal,
  set_diagonal,
  change_rows,
  zero,
  zero_rows_columns,
  count
};

/// What one operation on the matrices of one name came to so far, for Mesh::report(). The
/// Session's.
struct MatrixWork {
  LoopReport report;
  LaunchTimes times;
  const MatrixKernels* kernels = nullptr;  ///< those that report.form is of
  bool is_timed = false;  ///< even where the Session's options do not ask for times

  /// The Session's for this matrix; made at the first call.
  static MatrixWork& of(MatState& mat, MatrixOperation operation);

  LoopReport now();
  void clear();
};

/// Bytes of a product, each datum once; what is added to twice.
std::size_t multiply_bytes(const MatState& mat, bool adds);
/// Of reading or setting the owned rows' diagonal, with the numbers that go there or come from it.
std::size_t diagonal_bytes(const MatState& mat);
/// Of clearing rows, of setting their diagonal. Null: all rows.
std::size_t rows_bytes(const MatState& mat, const SubsetState* rows, bool clears, bool sets);
/// Of clearing rows and the columns of their numbers: all indices, and these entries.
std::size_t rows_columns_bytes(const MatState& mat, const SubsetState& rows);

}  // namespace kiln::mesh
