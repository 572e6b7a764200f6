#pragma once

/// Meshes in parts over MPI: all of it. In libkiln-mpi.so, where Kiln was built with MPI.
#include "kiln/mpi/balance.hpp"
#include "kiln/mpi/environment.hpp"
#include "kiln/mpi/file.hpp"
#include "kiln/mpi/partition.hpp"
#include "kiln/mpi/runtime.hpp"
#include "kiln/mpi/transport.hpp"
