#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// A partitioned Mesh brought back to what its parts declared, with the values of now: Sets have
/// their blocks of rows, Maps numbers of the whole sets, Dats the rows of the blocks, so that it
/// can be cut anew. Keeps what it was, until that is not needed any more.
class AsDeclared {
 public:
  /// All parts call it. Throws bad_input on all of them, and changes nothing then, where something
  /// has local numbers that would be wrong afterwards.
  explicit AsDeclared(Session& session);
  /// The Mesh is what it was: the other cut was refused.
  void restore() noexcept;

 private:
  struct SetWas {
    std::shared_ptr<SetState> state;
    std::array<std::size_t, 4> sizes;
    std::shared_ptr<const SetPart> part;
  };
  struct MapWas {
    std::shared_ptr<MapState> state;
    Residence values;
  };
  struct DatWas {
    std::shared_ptr<DatState> state;
    Residence data;
    bool is_halo_stale;
  };

  Session& session_;
  std::vector<SetWas> sets_;
  std::vector<MapWas> maps_;
  std::vector<DatWas> dats_;
};

}  // namespace kiln::mesh
