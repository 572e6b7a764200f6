#pragma once

#include <map>
#include <string>

#include "kernel/calls/recorded_call.hpp"
#include "kernel/program/launch.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "mesh/matrix/matrix_session.hpp"

namespace kiln::mesh {

/// The kernels on matrices of one shape, compiled at their first use and launched on the Session's
/// queue, after the loops that they depend on. With halos they are as loops over the rows: vectors
/// are of the owned ones, and what a product reads of others is exchanged where it is stale. One
/// thread.
class MatrixKernels {
 public:
  /// `of`: whatever its kernel.
  MatrixKernels(MatrixSession& session, const RecordedMatrix& of, const ChosenParameters& chosen);

  /// What decides on the kernels for a matrix and the layouts of vectors.
  static RecordedMatrix describe(const MatState& mat, bool x_soa, bool y_soa);
  static Request request_for(const MatrixSession& session, const RecordedMatrix& of);

  /// Those that a Session has for a matrix and the layouts of vectors; made at the first call.
  /// Throws what is pending.
  static MatrixKernels& of(MatState& mat, bool x_soa = false, bool y_soa = false);

  enum class Product : std::uint8_t { replaces, adds };
  /// `trial`: what this counts for, in place of the Mesh's report.
  void multiply(MatState& mat, DatState& x, DatState& y, Product product,
                MatrixWork* trial = nullptr);
  void diagonal(MatState& mat, DatState& to);
  void set_diagonal(MatState& mat, DatState& from);
  /// Of all rows, where `rows` is null.
  struct RowChange {
    bool clear = false, set = false;
    double value = 0;
  };
  void change_rows(MatState& mat, SubsetState* rows, const RowChange& change);
  /// Boundary conditions that keep a matrix symmetric: columns of these rows' numbers become 0, and
  /// b loses what they gave with x. `the_rows`: these rows themselves, too, whose diagonal and part
  /// of b are set. `other_rows`: the block is off a mixed matrix's diagonal.
  struct Columns {
    enum class Of : std::uint8_t { the_rows, other_rows } of = Of::the_rows;
    double diagonal = 1;
  };
  void zero_rows_columns(MatState& mat, SubsetState& rows, DatState& x, DatState& b,
                         const Columns& columns);
  void zero(MatState& mat);

 private:
  class Call;
  static MatrixKernels& find(MatrixSession& session, const RecordedMatrix& of);
  struct Prepared {
    Launch launch;
    CallCounter* counter = nullptr;  ///< null: calls are not recorded
  };
  Prepared& prepare(const std::string& kernel, LoopReport& report);
  const Parameters& parameters() const { return chosen_.parameters; }
  MatrixSession& session_;
  RecordedMatrix of_;
  Request request_;
  ChosenParameters chosen_;
  bool in_blocks_ = true;
  std::map<std::string, Prepared> launches_;
};

}  // namespace kiln::mesh
