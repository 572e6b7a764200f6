#include "kernel/entry.hpp"

kiln::Resolver* kiln_process_resolver() { return &kiln::Resolver::process(); }
kiln::CallLog* kiln_process_call_log() { return kiln::CallLog::process(); }
