#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of building Kiln itself, with no compiler cache: build/product and build/touched. The
/// first that is measured builds everything once, in a folder of its own; the second is quick then.
std::vector<Bar> build_bars();

}  // namespace kiln::bench
