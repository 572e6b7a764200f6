#pragma once

#include "kernel/calls/recorded_call.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/api.hpp"

/// The way from libkiln-mesh.so to the one Resolver and the one record of calls of a process, which
/// are in libkiln.so. Both libraries come from one build: libkiln.so exports these names under a
/// symbol version that is the build's own, and a program with libraries of two builds does not
/// start, rather than go wrong.
extern "C" {

/// Resolver::process() of libkiln.so. Thread-safe.
KILN_API kiln::Resolver* kiln_process_resolver();
/// CallLog::process() of libkiln.so. Thread-safe.
KILN_API kiln::CallLog* kiln_process_call_log();

}  // extern "C"
