#pragma once

#include <string>
#include <vector>

#include "kernel/apart/helper.hpp"
#include "kernel/traits/driver_findings.hpp"

// What compiling apart needs of a driver is found out by trying it with a small program: from the
// way that needs most to the one that needs least, until a program starts and computes what it
// should. So a release of PoCL that this code has never met works on its first day.
namespace kiln::apart {

/// Names of the findings, in the order of what they need.
namespace compiling {
/// Another process makes programs that this one can start.
inline constexpr const char* helper = "helper";
/// Processes forked from one that has loaded the driver's library do so, too.
inline constexpr const char* server = "server";
/// Programs are archives in which Kiln finds bitcode, kernels and the variants that were asked for,
/// and which start with no compiler. Else the driver's bytes are kept as they are.
inline constexpr const char* archives = "archives";
/// Objects without code are taken in place of functions that no launch uses.
inline constexpr const char* stubs = "stubs";
/// Variants are added to an archive from its bitcode alone. Asked for at the first addition.
inline constexpr const char* additions = "additions";
}  // namespace compiling

/// Answers some of the names above: one job of the helper, mostly by the compile server, and a
/// process that starts what it made, where all holds. What dies is tried twice: it may be the
/// machine's fault. Where nothing works, no finding lasts. `known` are the ways
/// found before, for additions. Throws Error where there is no helper to try with.
Findings probe_compiling(const Device& device, const std::vector<std::string>& names,
                         const CompileWays& known);

/// The ways that the findings leave.
CompileWays ways_of(const Findings& findings);

/// What is not taken, and why: lines for an explanation.
std::vector<std::string> ways_not_taken(const Findings& findings);

/// The work of Task::trial in the helper: starts the trial's program from the job's archive in each
/// of its variants, and throws Error where what it wrote is wrong.
void run_trial(const Job& job);

}  // namespace kiln::apart
