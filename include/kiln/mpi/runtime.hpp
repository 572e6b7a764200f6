#pragma once

#include <cstddef>
#include <string>

#include "kiln/mpi/environment.hpp"
#include "kiln/runtime.hpp"

namespace kiln::mpi {

struct RuntimeOptions {
  /// The devices of a machine that its ranks share, as on the command line; empty: "gpu" where
  /// there is one, else "cpu". A rank has one of them, by its number among the ranks of the
  /// machine; the list begins anew where ranks are more.
  std::string devices = {};
  std::string store = {};  ///< as Runtime::Options::store
  /// Threads of a rank that computes on the CPU. 0: its share of the cores that the launcher bound
  /// it to, with the ranks that are bound to the same ones; at least one.
  std::size_t threads = 0;
};

/// The Runtime of a rank: one device of its own, or a share of the CPU, so that two ranks on two
/// cores compute on two threads, not four. Ranks of a machine share the store: what one compiles
/// the others wait for and take (docs/formats/store.md). Collective.
///
/// A share of the CPU is a sub-device. The threads of a driver that is loaded here for the first
/// time in the process are bound to the rank's cores.
///
/// Throws Error: not_found where the list names no device, and as Runtime.
KILN_API Runtime runtime_for_rank(const Communicator& comm, const RuntimeOptions& options = {});

}  // namespace kiln::mpi
