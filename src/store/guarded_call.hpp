#pragma once

#include <exception>
#include <string>

#include "kiln/error.hpp"

namespace kiln {

/// Calls what gives an Expected. What it throws (no memory, mostly) comes out as an error
/// (internal), since nothing of a Layer may throw.
template <class Call>
auto guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& problem) {
    return fail(Errc::internal, std::string("store: ") + problem.what());
  }
}

}  // namespace kiln
