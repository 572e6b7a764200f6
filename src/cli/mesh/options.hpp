#pragma once

#include "cli/common_options.hpp"

namespace kiln::cli {

/// The word of the sub-commands that look at one mesh file.
inline constexpr Positional one_mesh{
    .value_name = "FILE",
    .help = "A mesh file: HDF5 in OP2's layout, new_grid.dat or FE_grid.dat; - is standard input.",
    .least = 1,
    .most = 1,
    .kind = Kind::file};

}  // namespace kiln::cli
