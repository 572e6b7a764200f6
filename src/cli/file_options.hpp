#pragma once

#include "cli/command.hpp"

/// Options of the commands that make files of other files.
namespace kiln::cli::options {

inline constexpr Option output{
    .name = "output",
    .kind = Kind::file,
    .access = Access::write,
    .value_name = "FILE",
    .help =
        "The file to write. It appears whole or not at all: what stands there is replaced only "
        "when everything is written.",
    .letter = 'o'};
inline constexpr Option directory{
    .name = "directory",
    .kind = Kind::folder,
    .value_name = "DIR",
    .help =
        "The folder to write below, made where it is absent. Links that stand in it are not "
        "followed.",
    .fallback = ".",
    .letter = 'C'};

}  // namespace kiln::cli::options
