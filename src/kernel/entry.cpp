#include "kernel/entry.hpp"

kiln::Resolver* kiln_process_resolver() { return &kiln::Resolver::process(); }
