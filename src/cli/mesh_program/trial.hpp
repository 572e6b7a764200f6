#pragma once

#include <functional>
#include <string>

namespace kiln::cli {

/// Runs something in a copy of this process whose output is dropped. Gives the name of the signal
/// where it died of a defect ("SIGSEGV"; "SIGXCPU" after ten minutes of computing, "SIGALRM" after
/// as long of waiting), else "". For foreign code that damaged input may kill: what it did is lost,
/// so it is done again here.
/// This process must have one thread.
std::string died_of(const std::function<void()>& work);

}  // namespace kiln::cli
