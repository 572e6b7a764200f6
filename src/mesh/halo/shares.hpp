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
  /// It has a new value: its share counts no more. All parts say so.
  void forget(const void* global);
  /// It goes here, perhaps not on other parts: what it has is still part of what they get.
  void gone(const void* global);

  /// How often they were brought together, and the seconds that this part waited for others.
  std::size_t count() const { return count_; }
  double wait_seconds() const { return wait_seconds_; }
  void clear_counts() { count_ = 0, wait_seconds_ = 0; }

 private:
  /// A Global that is a share.
  struct Pending {
    GlobalState* global = nullptr;  ///< null: it is gone, and this is what it had:
    std::string name;
    GlobalState::Share share;
    Residence data;
    Residence& values() { return global == nullptr ? data : global->data; }
  };
  /// More are brought together at once, so that those that are never asked for are not kept for
  /// ever.
  static constexpr std::size_t most_pending = 256;

  Session& session_;
  std::vector<Pending> pending_;  ///< in the order in which they became shares: as on all parts
  std::size_t count_ = 0;
  double wait_seconds_ = 0;
};

}  // namespace kiln::mesh
