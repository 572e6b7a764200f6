#pragma once

#include <string>

#include "kernel/recorded_call.hpp"
#include "kernel/resolver.hpp"
#include "mesh/matrix/matrix_generator.hpp"

namespace kiln::mesh {

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
