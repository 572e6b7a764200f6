// Those of kiln-mesh, in place of kiln's, which the linker leaves in the archive.
#include "cli/calls/build_loop.hpp"

#include "mesh/loop/recorded_loop.hpp"
#include "mesh/matrix/recorded_matrix.hpp"
#include "mesh/object/generators.hpp"

namespace kiln::cli {

bool builds_loops() { return true; }

void add_loop_generators(Resolver& resolver) { mesh::add_generators(resolver); }

Explanation build_loop(const RecordedCall& call, Resolver& resolver, const DevicePtr& device) {
  if (call.kind == "matrix")
    return mesh::build_recorded(value_or_throw(mesh::recorded_matrix_of(call)), resolver, device);
  return mesh::build_recorded(value_or_throw(mesh::recorded_loop_of(call)), resolver, device);
}

}  // namespace kiln::cli
