#include "mesh/object/process_resolver.hpp"

#include "kernel/entry.hpp"

namespace kiln::mesh {

Resolver* process_resolver() { return kiln_process_resolver(); }

}  // namespace kiln::mesh
