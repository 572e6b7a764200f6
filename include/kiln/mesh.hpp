#pragma once

/// Parallel loops over unstructured meshes: declare sets, maps and data, write what happens to an
/// element in plain C, and have it coloured, compiled, tuned and run on a CPU or a GPU, with plans
/// and programs kept in memory and on disk. docs/meshes.md has examples.
#include "kiln/mesh/halo.hpp"
#include "kiln/mesh/mesh.hpp"
#include "kiln/mesh/mixed.hpp"
#include "kiln/mesh/solve.hpp"
