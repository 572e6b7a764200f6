#pragma once

#include <string>

#include "kernel/calls/recorded_call.hpp"
#include "kernel/program/program.hpp"
#include "kernel/resolver/generator.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// What the kernels on a matrix depend on.
struct MatrixShape {
  ScalarType type = ScalarType::f64;
  int row_dim = 1, column_dim = 1;
  bool x_soa = false, y_soa = false;  ///< layouts of the vectors
  bool operator==(const MatrixShape&) const = default;
};

/// What MatrixGenerator is asked for.
struct MatrixPayload {
  MatrixShape shape;
  bool cpu = false;
  std::int64_t row_length = 0;  ///< blocks of a row, as far as it decides on LANES
};
Facts facts_of(const MatrixPayload& matrix);

/// Writes the kernels on matrices in compressed rows of blocks, family "mesh.matrix":
///
///     kiln_multiply(values, rowptr, colidx, x, y, adds, first, rows)
///         y := A x, or y + A x where `adds`, for the block rows first … rows - 1
///     kiln_diagonal(values, rowptr, colidx, y, rows)      y := the diagonal; 0: no such entry
///     kiln_set_diagonal(values, rowptr, colidx, x, rows)  the diagonal := x
///     kiln_rows(values, rowptr, colidx, list, all, clear, set, value, rows)
///         for `rows` block rows, all or those of the list: entries := 0 where `clear`, then the
///         diagonal := value where `set`
///     kiln_zero(values, count)
///
/// Vectors are followed by their stride (long), which counts where they are SoA. On CPUs (FORM 0)
/// a work-item is a group of its own and does `block` rows, an int after `rows`: BLOCK of them
/// where the Parameters say; a row's product is added up in SUMS chains. Otherwise (FORM 1) groups
/// of GROUP stride over them, in kiln_multiply with LANES work-items a row, whose parts are added
/// as a tree. Always in the same order.
class MatrixGenerator : public Generator {
 public:
  std::string family() const override { return "mesh.matrix"; }
  std::int64_t version() const override;
  Parameters defaults(const Request& request) const override;
  bool accepts(const Request& request, const Parameters& parameters) const override;
  std::string generate(const Request& request, const Parameters& parameters) const override;
};

/// What the text of any kernel on matrices begins with: macros of the shape, of its vectors and of
/// the rows of a work-item (templates/matrix.cl).
std::string matrix_prelude(const MatrixShape& shape, bool cpu);

/// @param row_length blocks of a row, on average; decides on LANES by default.
/// @param rows rows of blocks; decides between records.
Request make_matrix_request(const MatrixShape& shape, bool cpu, double row_length,
                            std::int64_t rows = 0);

/// So many work-groups of the kernels that these Parameters make.
NDRange matrix_range(const Parameters& parameters, std::size_t groups);

/// Rows of a work-item where Parameters have no BLOCK.
std::int64_t matrix_block(std::int64_t rows, std::int64_t compute_units);

/// The values of each Parameter that are worth trying for products, by name.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> matrix_space(bool cpu);

/// A kernel on matrices as a record of calls has it: all that its program depends on but the
/// device.
struct RecordedMatrix {
  MatrixShape shape;
  std::string kernel;     ///< "kiln_multiply"
  double row_length = 0;  ///< blocks, on average
  std::int64_t rows = 0;  ///< of blocks
};

/// That as a record of calls has it (docs/formats/calls.md), and back. Errors: bad_input, with the
/// name of the field.
RecordedCall recorded_call(const RecordedMatrix& matrix, const Device& device);
Expected<RecordedMatrix> recorded_matrix_of(const RecordedCall& recorded);

/// As build_recorded() of a loop (loop/recorded_loop.hpp).
Explanation build_recorded(const RecordedMatrix& matrix, Resolver& resolver,
                           const DevicePtr& device);

}  // namespace kiln::mesh
