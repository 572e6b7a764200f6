#pragma once

#include "kernel/resolver.hpp"
#include "kiln/api.hpp"

/// The way from libkiln-mesh.so to the one Resolver of a process, which is in libkiln.so. Both
/// libraries come from one build: libkiln.so exports this name under a symbol version that is the
/// build's own, and a program with libraries of two builds does not start, rather than go wrong.
extern "C" {

/// Resolver::process() of libkiln.so. Thread-safe.
KILN_API kiln::Resolver* kiln_process_resolver();

}  // extern "C"
