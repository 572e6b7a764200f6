#pragma once

#include <map>
#include <memory>

#include "mesh/halo/exchange.hpp"
#include "mesh/halo/shares.hpp"

namespace kiln::mesh {

/// What the Session of a distributed Mesh keeps: halo classes, Globals that are shares, exchanges
/// of single Dats. One thread.
class Parts {
 public:
  explicit Parts(Session& session)
      : classes(*session.transport), shares(session), session_(session) {}

  HaloClasses classes;
  Shares shares;

  /// The one that brings some elements of a Dat for whatever is not a loop.
  Exchange& exchange_of(DatState& dat, const HaloClassPtr& halo);
  /// A state goes, on this part.
  void forget(const void* state);

 private:
  Session& session_;
  std::map<std::pair<const DatState*, std::uint64_t>, std::unique_ptr<Exchange>> exchanges_;
};

}  // namespace kiln::mesh
