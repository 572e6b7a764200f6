#pragma once

#include <cstddef>

namespace kiln::testing {

/// Bytes that operator new has given out in this program so far, whether given back or not: what
/// a parser takes can be no more than the growth during its call.
std::size_t allocated_bytes();

}  // namespace kiln::testing
