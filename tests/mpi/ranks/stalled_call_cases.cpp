// A rank that does not come on within a call of PT-Scotch or parallel HDF5, or before one of MPI
// (tests/mpi/stall).
#include <dlfcn.h>

#include <stdexcept>

#include "cases.hpp"

namespace kiln::testing {

/// LIBRARY WAY PATH
void stalled_call(const Environment& mpi, const Words& words) {
  [[maybe_unused]] const auto begin = [&] {
    if (mpi.rank() != 1) return;
    auto* stall = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "kiln_mpi_stall"));
    if (stall == nullptr) throw std::runtime_error("there is no libkiln-mpi-stall.so");
    stall(words.at(1) == "stops" ? 1 : 2);
  };
  if (words.at(0) == "scotch") {
#ifdef KILN_WITH_SCOTCH
    // A ring, of which each rank has a hundred.
    const std::int64_t own = 100, all = own * mpi.size(), first = own * mpi.rank();
    std::vector<std::int64_t> starts{0}, neighbours;
    for (std::int64_t at = first; at < first + own; ++at) {
      const std::int64_t before = (at + all - 1) % all, after = (at + 1) % all;
      neighbours.push_back(std::min(before, after));
      neighbours.push_back(std::max(before, after));
      starts.push_back(static_cast<std::int64_t>(neighbours.size()));
    }
    const auto transport = mpi::transport(mpi.comm());
    begin();
    mpi::cut_by_scotch({*transport, first, starts, neighbours, {}, 0, {}});
    return;
#endif
  } else {
#ifdef KILN_WITH_PARALLEL_HDF5
    begin();
    mpi::MeshFileBlock::read(mpi.comm(), words.at(2));
    return;
#endif
  }
  say("no " + words.at(0));
}

/// Calls what waits for all ranks, but for exchanges of messages: once each, and an Environment is
/// before and after.
void collectives(const Environment& mpi, const Words&) {
  const mpi::Communicator again(mpi.comm().handle());
  mpi::runtime_for_rank(again, {.devices = "cpu"});
  mpi::transport(again);
  mpi::MeshFileBlock block;
  if (mpi.rank() == mpi.size() - 1) block.sets.push_back({"", 1, 0, 1});
  try {
    block.write(again, "never.h5");
  } catch (const Error&) {
    return;
  }
  fail_case("a set without a name was written");
}

}  // namespace kiln::testing
