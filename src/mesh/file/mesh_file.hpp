#pragma once

#include "base/bytes.hpp"
#include "kiln/error.hpp"
#include "kiln/mesh/file.hpp"

namespace kiln::mesh {

/// Holds a file's parts against one another: names unique and not empty, sets of maps and dats
/// there, every list of the length that its set says, every entry of a map within its target set.
/// Readers end with it and writers begin with it. Errors (bad_input) name the part, the element,
/// what was found and what was expected.
Expected<void> check(const MeshFile& mesh);

}  // namespace kiln::mesh
