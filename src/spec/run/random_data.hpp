#pragma once

#include <cstdint>
#include <span>

#include "kiln/spec.hpp"

namespace kiln::spec {

/// Fills memory with test data of a type: integers of 8 bits uniform in 0..127, wider ones in
/// 0..4095, floating-point numbers in [0, 1). A structure's members get such numbers, the bytes of
/// one without known members those of 8-bit integers. The same for the same seed and argument on
/// every machine, whatever the other arguments are. `memory` is a whole number of scalars.
void fill_random(std::span<std::byte> memory, const Type& type, std::uint64_t seed,
                 std::uint32_t position);

}  // namespace kiln::spec
