#pragma once

#include <vector>

#include "mesh/halo/agreement.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// The Globals of a distributed Mesh that have this part's share only: what loops add up, or find
/// the least or greatest of, is brought together when one is asked for, that of all Globals at
/// once. One thread.
class Shares {
 public:
  explicit Shares(Session& session) : session_(session) {}

  /// A loop that changes a Global by INC, MIN or MAX is about to run: it becomes a share. Waits for
  /// the other parts where it is a share of another kind.
  void begin(GlobalState& global, Access access);
  /// All parts' values in each that is a share, the same bits on all parts.
  void bring_together();
  void forget(const void* global);

  /// How often they were brought together, and the seconds that this part waited for others.
  std::size_t count() const { return count_; }
  double wait_seconds() const { return wait_seconds_; }
  void clear_counts() { count_ = 0, wait_seconds_ = 0; }

 private:
  Session& session_;
  std::vector<GlobalState*> pending_;  ///< in the order in which they became shares
  std::size_t count_ = 0;
  double wait_seconds_ = 0;
};

}  // namespace kiln::mesh
