#pragma once

#include <memory>
#include <vector>

#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// What a Mesh declared that all parts still have, in the order of its declaration: the same on all
/// of them. It is held meanwhile. Objects may go sooner on one part than on another, with Python's
/// garbage collector say; what is gone on one part can be used by none.
struct AliveEverywhere {
  std::vector<std::shared_ptr<SetState>> sets;
  std::vector<std::shared_ptr<MapState>> maps;
  std::vector<std::shared_ptr<DatState>> dats;

  /// All parts call it. What others have no more is left out of this Mesh from then on: Maps lead
  /// nowhere, Dats are freed, Sets are not partitioned. Throws bad_input on all parts where they
  /// declared different things.
  explicit AliveEverywhere(Session& session);
};

}  // namespace kiln::mesh
