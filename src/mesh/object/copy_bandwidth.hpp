#pragma once

#include "kernel/resolver.hpp"

namespace kiln::mesh {

/// Bytes a second of copying large arrays on a queue's device, bytes read and bytes written
/// counted: the middle of several runs of a kernel that does nothing else, which no loop exceeds
/// for long. `array`: bytes of
/// each array; 0: far more than any cache holds. Throws kiln::Error.
double measure_copy_bandwidth(Resolver& resolver, const Queue& queue, std::size_t array = 0);

}  // namespace kiln::mesh
