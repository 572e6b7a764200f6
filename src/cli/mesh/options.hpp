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

/// What an HDF5 file does not say of its own parts.
namespace kiln::cli::options {

inline constexpr Option map_sets{
    .name = "map",
    .kind = Kind::assignment,
    .value_name = "NAME=FROM:TO",
    .help =
        "The sets that the map NAME of an HDF5 file joins, where the file has no attributes "
        "that say so.",
    .repeat = Repeat::yes};
inline constexpr Option dat_set{
    .name = "on",
    .kind = Kind::assignment,
    .value_name = "NAME=SET",
    .help = "The set that the data NAME of an HDF5 file are on, likewise.",
    .repeat = Repeat::yes};

}  // namespace kiln::cli::options
