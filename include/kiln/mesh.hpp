#pragma once

/// Parallel loops over unstructured meshes: declare sets, maps and data, write what happens to an
/// element in plain C, and have it coloured, compiled, tuned and run on a CPU or a GPU, with plans
/// and programs kept in memory and on disk. docs/meshes.md has examples.
#include "kiln/mesh/mesh.hpp"
