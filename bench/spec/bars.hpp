#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of specification files, from describing to running them.
std::vector<Bar> spec_bars();

Bar version_bar();  ///< spec/version
Bar check_bar();    ///< spec/check

}  // namespace kiln::bench
