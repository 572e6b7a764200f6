#pragma once

#include <string_view>

#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// Whether a failure may have left the driver's context dead, so that whatever the same process
/// measures next would fail as well, without fault of its own. An access out of bounds does that:
/// drivers tell it as CL_OUT_OF_RESOURCES (-5), CL_INVALID_COMMAND_QUEUE (-36) or a number of their
/// own (NVIDIA: -9999), at the launch or at any call behind it. What is known to be the driver's
/// answer to a launch that merely wants too much is none.
bool may_have_lost_device(Failure failure, std::string_view message);

}  // namespace kiln::tune
