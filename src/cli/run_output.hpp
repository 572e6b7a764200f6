#pragma once

#include "cli/kernel_output.hpp"
#include "cli/run_spec.hpp"

namespace kiln::cli {

/// The result of one spec: text for people (what ran where and how long, the first values of each
/// result), or with --json one object a line; with --explain where each program came from.
/// What the kernel printed becomes a field of that object.
void print_run(const Context& context, const SpecRun& run, const KernelText& printed);

/// A spec that did not run: a line on standard error, or with --json an object with the status.
void print_failure(const Context& context, const std::string& file, const Error& error,
                   const KernelText& printed);

/// "ok", "failed" or "refused" (Kiln declines: unsupported, or the result could be wrong).
const char* status_of(const Error& error);

}  // namespace kiln::cli
