#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of interchange files.
std::vector<Bar> formats_bars();

std::vector<Bar> kdb_bars();      ///< formats/kdb-verify, formats/kdb-write
std::vector<Bar> poclbin_bars();  ///< formats/poclbin-verify, -heap, -process
std::vector<Bar> start_bars();    ///< formats/start-saxpy, formats/start-large

}  // namespace kiln::bench
