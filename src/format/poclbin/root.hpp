#pragma once

#include "format/poclbin.hpp"

namespace kiln::poclbin {

inline constexpr std::string_view bitcode_path = "/program.bc";

/// What stands in where a version demands a root file and there is none.
File stand_in();
bool is_stand_in(const File& file);

/// Whether a root file is the initialiser of program-scope variables, which has an entry of its
/// own.
bool is_initialiser(std::string_view path);

/// Takes entries without a file out, and stand-ins that are no longer needed; puts one in where the
/// archive's version has to have a root file.
void complete_root(Archive& archive);

}  // namespace kiln::poclbin
