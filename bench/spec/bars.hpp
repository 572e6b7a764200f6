#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of specification files, from describing to running them.
std::vector<Bar> spec_bars();

Bar version_bar();                ///< spec/version
Bar check_bar();                  ///< spec/check
Bar dispatch_bar();               ///< spec/dispatch
Bar process_binary_bar();         ///< spec/process-binary
Bar process_pyopencl_bar();       ///< spec/process-pyopencl
Bar first_run_bar();              ///< spec/first-run
std::vector<Bar> look_up_bars();  ///< spec/key, spec/memory-hit…
std::vector<Bar> auto_bars();     ///< spec/auto-…: two for each set of devices

}  // namespace kiln::bench
