#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of interchange files.
std::vector<Bar> formats_bars();

std::vector<Bar> kdb_bars();  ///< formats/kdb-verify, formats/kdb-write

}  // namespace kiln::bench
