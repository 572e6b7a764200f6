#pragma once

#include "kernel/call_log.hpp"
#include "kernel/resolver.hpp"

namespace kiln::mesh {

/// The one Resolver of this process: that of libkiln.so where this code is in libkiln-mesh.so,
/// which has a copy of the Resolver's code, but must not have another Resolver.
Resolver* process_resolver();
/// Its one record of calls, likewise; null where nothing is recorded.
CallLog* process_call_log();

}  // namespace kiln::mesh
