#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kiln/error.hpp"

namespace kiln::tune {

/// What a function returns in a child process, a fork of this one: for what must not be loaded
/// here, as a driver before other children are forked. At most 64 KiB. Errors: what the function
/// threw, with its message; a child that died or did not end within the limit.
Expected<std::string> in_child(const std::function<std::string()>& function,
                               std::chrono::milliseconds limit);

}  // namespace kiln::tune
