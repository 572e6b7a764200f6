#pragma once

#include <vector>

#include "mesh/model/clocks.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// What a part knows of itself, as the report of a mesh in one part: of its loops, those of one
/// name as one, and of how its sets and maps lie. `reductions`: of Globals, `reduction_seconds`
/// its waiting for them.
PartsReport report_of_part(Session& session, std::vector<LoopReport> loops, std::size_t reductions,
                           double reduction_seconds);

/// All parts' reports in one, on all parts. All call it.
PartsReport bring_together(Transport& transport, const PartsReport& mine);

/// All parts' spans on part 0, by their start on its clock; empty elsewhere. All parts call it.
std::vector<TimelineSpan> bring_together(Transport& transport, const CommonClock& clock,
                                         std::vector<TimelineSpan> mine);

}  // namespace kiln::mesh
