#pragma once

#include <vector>

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of meshes over ranks: mpi/…
std::vector<Bar> mpi_bars();

std::vector<Bar> mpi_setup_bars();  ///< mpi/cut, mpi/setup…, mpi/start…
std::vector<Bar> mpi_step_bars();   ///< mpi/cost, mpi/overlap, mpi/call, mpi/strong…, mpi/gpus…

}  // namespace kiln::bench
