#pragma once

/// Files of other programs, read and written as pure functions over bytes: clBLAS's kernel
/// databases, PoCL's program archives, NumPy's arrays, SPIR-V modules, task graphs. None of them
/// throws but for want of memory.
#include "kiln/formats/kdb.hpp"
#include "kiln/formats/npy.hpp"
#include "kiln/formats/poclbin.hpp"
#include "kiln/formats/spirv.hpp"
#include "kiln/formats/task_graph.hpp"

namespace kiln::formats {
namespace kdb = kiln::kdb;
namespace npy = kiln::npy;
namespace poclbin = kiln::poclbin;
namespace spirv = kiln::spirv;
namespace task_graph = kiln::task_graph;
}  // namespace kiln::formats
