#pragma once

#include <cstddef>

#include "blas/call.hpp"

namespace kiln::blas {

/// As a bound of memory: none but that of addresses.
inline constexpr auto no_bound = static_cast<std::size_t>(-1);

/// What a call's operands without memory would take, where that is too much: "sgemm: A takes
/// 4294967296 bytes, found memory for 1073741824 in one buffer", thrown (bad_input). Sizes below
/// such a bound are also what the sizes of workspace are computed from without overflow.
/// `in_one`, `in_all`: bytes that the device has for one operand, and for all together.
void require_room(const Call& call, std::size_t in_one, std::size_t in_all = no_bound);

}  // namespace kiln::blas
