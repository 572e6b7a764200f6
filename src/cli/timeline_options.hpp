#pragma once

#include "cli/common_options.hpp"

/// Options of the commands that write a timeline (timeline_files.hpp).
namespace kiln::cli::options {

inline constexpr Option trace{.name = "trace",
                              .kind = Kind::file,
                              .access = Access::write,
                              .value_name = "FILE",
                              .help = "Writes the timeline as Chrome trace JSON."};
inline constexpr Option gantt{.name = "gantt",
                              .kind = Kind::file,
                              .access = Access::write,
                              .value_name = "FILE",
                              .help = "Writes the timeline as a self-contained HTML page."};

}  // namespace kiln::cli::options
