#pragma once

#include <cstddef>
#include <string>
#include <vector>

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
/// Of PoCL, where it is loaded here for the first time in the process, there are as many threads as
/// the rank has, bound to its cores (by POCL_MAX_PTHREAD_COUNT and POCL_CPU_MAX_CU_COUNT, where the
/// user has not set them; no other thread may use the environment meanwhile); else a share of the
/// CPU is a sub-device.
///
/// Throws Error: not_found where the list names no device, and as Runtime.
KILN_API Runtime runtime_for_rank(const Communicator& comm, const RuntimeOptions& options = {});

/// How fast the devices of the ranks are, by rank, as shares that sum up to 1: weights for
/// Mesh::partition(), where a rank's device is another one than its neighbour's. All ranks run a
/// loop over some edges, which read and add to their cells, at the same time, since they may share
/// a machine's memory; so it takes a moment to compile, and less than a second where devices are
/// not very slow. Shares below a hundredth of the largest become that. Collective. Throws Error as
/// Mesh and par_loop.
///
/// For a Mesh that runs already its own loops tell better: shares_of().
KILN_API std::vector<double> speeds(const Communicator& comm, const Runtime& runtime);

/// Shares from what ranks did: each gives its elements and the seconds that it computed them in,
/// its loops' `seconds` of Mesh::report() (Options::timing), without what it waited for. A rank
/// without elements or time is given the mean speed of the others. Collective. Throws bad_input for
/// numbers below 0 or not finite, on all ranks.
KILN_API std::vector<double> shares_of(const Communicator& comm, double elements, double seconds);

}  // namespace kiln::mpi
