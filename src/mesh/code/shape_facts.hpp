#pragma once

#include <vector>

#include "kernel/request.hpp"
#include "mesh/loop/shape.hpp"

namespace kiln::mesh {

/// A LoopShape as the facts of a Request, and back: "kernel", "text" (all that the user wrote),
/// "file", "extents", one "argument" each, one "constant" each, "subset", "extruded". So the Key of
/// a loop's program is the canonical form of PyOP2's caching specification (generated code), with
/// its (Dat, Map) pairs and whatever else text depends on, and without any size or identity.
std::vector<Fact> facts_of(const LoopShape& shape);

/// Throws internal for facts that facts_of() did not make.
LoopShape shape_of(const Request& request);

/// The shape with Dats, Globals, Mats, Maps and pairs numbered by their first occurrence.
LoopShape numbered_by_first_occurrence(LoopShape shape);

}  // namespace kiln::mesh
