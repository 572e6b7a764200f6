#include "kernel/resolver/entry.hpp"

// A file of their own, so that libkiln-mesh.so, which has copies of what it uses of this module,
// does without this one and takes these from libkiln.so.

kiln::Resolver* kiln_process_resolver() { return &kiln::Resolver::process(); }
kiln::CallLog* kiln_process_call_log() { return kiln::CallLog::process(); }
