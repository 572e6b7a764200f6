#pragma once

/// The channel that results have of their own. Drivers write what a kernel prints to descriptor 1
/// of their process, so results must not go there.
namespace kiln::cli {

/// Gives results their channel, before anything runs: from now on print() (cli/output.hpp) writes
/// to what standard output was, as files with its name do (/dev/stdout), and descriptor 1 leads to
/// standard error. Without this call print() uses descriptor 1.
void separate_results();

/// Undoes it: for a program that takes this one's place. What was printed must be flushed.
void join_results();

/// The descriptor that print() writes to, or -1 where standard output was closed.
int results_descriptor();

}  // namespace kiln::cli
