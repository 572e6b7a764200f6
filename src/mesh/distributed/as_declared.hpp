#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mesh/distributed/mesh_rows.hpp"

namespace kiln::mesh {

/// A partitioned Mesh brought back to what its parts declared, with the values of now: Sets have
/// their blocks of rows, Maps numbers of the whole sets, Dats the rows of the blocks, so that it
/// can be cut anew. Keeps who had which elements, so that the cut can be made as it was.
class AsDeclared {
 public:
  /// All parts call it. Throws bad_input on all of them, and changes nothing then, where something
  /// has local numbers that would be wrong afterwards.
  AsDeclared(Session& session, const AliveEverywhere& alive);
  /// The Mesh is what it was: the other cut was refused. All parts call it. Throws what the
  /// Transport throws.
  void restore();

 private:
  struct SetWas {
    std::shared_ptr<SetState> state;
    std::shared_ptr<const SetPart> part;
  };

  Session& session_;
  std::vector<SetWas> sets_;
  std::vector<std::shared_ptr<MapState>> maps_;
  std::vector<std::shared_ptr<DatState>> dats_;
};

}  // namespace kiln::mesh
