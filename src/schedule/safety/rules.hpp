#pragma once

#include "schedule/safety/safety.hpp"
#include "schedule/safety/unit.hpp"

namespace kiln::safety {

/// Looks for everything that behaves differently in a part of an NDRange, in all reachable text.
/// Fills reasons, suspicions, uses_local_memory and uses_atomics.
void check_rules(const Unit& unit, SplitSafety& safety);

/// Its part for declarations that name a function otherwise for the linker than in the text.
void check_linker_names(const Unit& unit, SplitSafety& safety);

}  // namespace kiln::safety
