#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// One Dat while its halo is exchanged: its values on the host, element by element, whatever its
/// layout. A view, good until the call returns.
struct HaloValues {
  std::string_view name;  ///< of the Dat
  ScalarType type = ScalarType::f64;
  std::size_t dim = 1;    ///< components of an element
  std::size_t owned = 0;  ///< elements 0 … owned - 1 are this part's own
  std::size_t total = 0;  ///< elements owned … total - 1 are copies of others'
  std::span<std::byte> values;

  /// As what they are; T must be the Dat's type.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(values.data()), values.size() / sizeof(T)};
  }
};

/// Brings copies of elements that other parts of a distributed mesh own up to date: by MPI, say, or
/// by memory between threads. A Set is given one; its Mesh calls it where a loop is about to read
/// copies that are stale, on the thread that asked for the loop's results:
///
///   begin(x), begin(y) … ; the core part is on its way ; end(x), end(y) … ; the rest.
///
/// So what travels does so while core elements are computed, which reach no other part's. All parts
/// call these for the same Dats in the same order if they call the same loops and ask for the same
/// results. The functions may not use the Mesh or its handles. What they throw goes to who asked
/// for the loop: thrown by begin() the loop was not run, by end() its core part was. What a
/// destructor of a Mesh or of a handle runs has no caller that waits for it: what is thrown then is
/// logged by the Mesh's, and thrown by the next call on the Mesh for a handle's.
///
/// Sums over all parts are not its affair: SolveOptions::sum.
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  /// Sends of the owned elements what others have copies of; changes nothing. Should not wait.
  virtual void begin(const HaloValues& dat) = 0;
  /// Fills in the copies. Waits for them.
  virtual void end(const HaloValues& dat) = 0;
};

}  // namespace kiln::mesh
