#pragma once

#include "layer/interface/interface.hpp"

namespace kiln::layer {

/// The driver's functions, which those that this library calls by their names go to; set once.
extern const cl_icd_dispatch* below;

}  // namespace kiln::layer
