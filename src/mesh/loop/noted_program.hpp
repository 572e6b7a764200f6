#pragma once

#include <vector>

#include "mesh/object/session.hpp"

namespace kiln::mesh {

/// Resolves a program, and notes in a report what that took and whether it had to be compiled; in
/// the Session's recording, too, but for trials.
/// Throws kiln::Error.
Program& noted_program(const Session& session, Resolver& resolver, const Request& request,
                       const std::vector<KernelVariant>& wanted, LoopReport& report);

}  // namespace kiln::mesh
