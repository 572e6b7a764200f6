#pragma once

#include "kiln/spec.hpp"

namespace kiln::spec {

/// As find_source() (kiln/spec.hpp), but errors name neither the file nor the attribute: for
/// messages that have places of their own for these.
Expected<std::filesystem::path> source_place(const Spec& spec,
                                             const std::vector<std::filesystem::path>& source_dirs);

}  // namespace kiln::spec
