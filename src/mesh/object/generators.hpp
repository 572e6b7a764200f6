#pragma once

#include "device/device.hpp"
#include "mesh/code/loop_generator.hpp"

namespace kiln {
class Resolver;
}

namespace kiln::mesh {

/// What of a device decides how loops run on it.
LoopDevice loop_device_of(const Device& device);

/// Has a Resolver know how the programs of loops and matrices are written.
void add_generators(Resolver& resolver);

}  // namespace kiln::mesh
