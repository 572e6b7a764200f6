#pragma once

#include "kernel/calls/recorded_call.hpp"
#include "kernel/resolver/resolver.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

/// A loop as a record of calls has it: all that its program depends on but the device.
struct RecordedLoop {
  LoopShape shape;
  std::int64_t elements = 0;  ///< owned ones: decide on Parameters
};

/// That as a record of calls has it (docs/formats/calls.md), and back. `bytes`: that a run moves.
/// Errors: bad_input, with the name of the field, for what no loop could have left.
RecordedCall recorded_call(const RecordedLoop& loop, const Device& device, std::size_t bytes);
Expected<RecordedLoop> recorded_loop_of(const RecordedCall& recorded);

/// Has a Resolver that knows the generators (add_generators) find or make the loop's program, with
/// the variants that runs will take. The loop is not run; what is not known of the driver's
/// built-in functions on vectors is tried (find_lanes). Throws kiln::Error.
Explanation build_recorded(const RecordedLoop& loop, Resolver& resolver, const DevicePtr& device);

}  // namespace kiln::mesh
