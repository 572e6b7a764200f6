#pragma once

#include <string>

#include "frame/bar.hpp"

namespace kiln::bench {

/// Kernels whose start is measured: both take (float a, global const float* x, global float* y,
/// int n), as the rivals start_archive and start_source expect.
struct StartKernel {
  std::string name, text;
};
StartKernel saxpy_kernel();
/// As code generators write them: 400 statements, each with an fma and a sine, which the compiler
/// cannot shorten.
StartKernel large_kernel();

constexpr int kStartLocal = 64;

/// Writes NAME.cl and NAME.json, a specification of `items` work-items in groups of kStartLocal.
/// Returns the latter's path. Throws Error.
fs::path write_start_spec(const StartKernel& kernel, int items, const fs::path& folder);

}  // namespace kiln::bench
