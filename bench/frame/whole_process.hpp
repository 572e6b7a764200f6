#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frame/bar.hpp"
#include "frame/statistics.hpp"

namespace kiln::bench {

/// A program to be timed from its start to its end, with its output thrown away.
struct Program {
  fs::path path;  ///< an absolute path
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< replaces or adds to this one's
};

/// Milliseconds from before the spawn to after the wait; a message where the program cannot start
/// or does not exit with 0.
tl::expected<double, std::string> time_process(const Program& program);

/// The same as a Sample for interleave().
Sample timed(Program program);

}  // namespace kiln::bench
