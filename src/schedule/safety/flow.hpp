#pragma once

#include "schedule/safety/safety.hpp"
#include "schedule/safety/unit.hpp"

namespace kiln::safety {

/// Follows the kernel's pointers through its text and its functions: what is read, what is written,
/// whether at the same index, and whether loaded values decide it. Fills the parameters,
/// data_dependent_writes and suspicions; where it gives up, every pointer counts as read and
/// written.
void check_flow(const Unit& unit, SplitSafety& safety);

/// The kernel's parameters before anything is known of their use. The unit has a kernel.
std::vector<ParameterUse> describe(const Unit& unit, const std::vector<Parameter>& parameters);

}  // namespace kiln::safety
