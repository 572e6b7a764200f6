#pragma once

namespace kiln::cli {

/// The whole command: finds the sub-command, reads its settings, runs it, reports errors.
/// Returns the exit code: 0 success, 1 a failed run or a difference, 2 bad input.
int run(int count, char** words);

}  // namespace kiln::cli
