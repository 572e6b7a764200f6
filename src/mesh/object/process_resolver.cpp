#include "mesh/object/process_resolver.hpp"

#include "kernel/entry.hpp"

namespace kiln::mesh {

Resolver* process_resolver() { return kiln_process_resolver(); }
CallLog* process_call_log() { return kiln_process_call_log(); }

}  // namespace kiln::mesh
