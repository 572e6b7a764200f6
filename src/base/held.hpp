#pragma once

#include <string>

#include "kiln/error.hpp"

namespace kiln {

/// The state that an object of the public API points to. Throws Error (bad_input) where there is
/// none, because the object was moved from; `what` is its class.
template <class Pointer>
auto& held(const Pointer& state, const char* what) {
  if (!state)
    throw Error(Errc::bad_input, std::string("the ") + what +
                                     " was moved from; use the object that it was moved to");
  return *state;
}

}  // namespace kiln
