#pragma once

#include "kernel/resolver.hpp"

namespace kiln::mesh {

/// Bytes a second of copying large arrays on a queue's device, bytes read and bytes written
/// counted: the best of several runs of a kernel that does nothing else, so what no loop can exceed
/// for long. Throws kiln::Error.
double measure_copy_bandwidth(Resolver& resolver, const Queue& queue);

}  // namespace kiln::mesh
