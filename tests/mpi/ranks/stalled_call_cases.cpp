// A rank that does not come on within a call of PT-Scotch or parallel HDF5: this program has these
// functions itself, so that libkiln-mpi.so calls them here.
#include <dlfcn.h>
#include <signal.h>

#include <cstdint>

#include "cases.hpp"

namespace {

enum class Stall { none, stops, loops } stall = Stall::none;

void stall_here() {
  if (stall == Stall::stops) ::raise(SIGSTOP);
  if (stall == Stall::loops)
    for (volatile bool forever = true; forever;) {
    }
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {
int SCOTCH_dgraphMap(void* graph, const void* shares, void* strategy, void* parts);
int H5Dread(std::int64_t dataset, std::int64_t type, std::int64_t memory, std::int64_t file,
            std::int64_t transfer, void* values);

__attribute__((visibility("default"))) int SCOTCH_dgraphMap(void* graph, const void* shares,
                                                            void* strategy, void* parts) {
  stall_here();
  return next<decltype(&SCOTCH_dgraphMap)>("SCOTCH_dgraphMap")(graph, shares, strategy, parts);
}
__attribute__((visibility("default"))) int H5Dread(std::int64_t dataset, std::int64_t type,
                                                   std::int64_t memory, std::int64_t file,
                                                   std::int64_t transfer, void* values) {
  stall_here();
  return next<decltype(&H5Dread)>("H5Dread")(dataset, type, memory, file, transfer, values);
}
}

namespace kiln::testing {

/// LIBRARY WAY PATH
void stalled_call(const Environment& mpi, const Words& words) {
  [[maybe_unused]] const auto begin = [&] {
    if (mpi.rank() == 1) stall = words.at(1) == "stops" ? Stall::stops : Stall::loops;
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

}  // namespace kiln::testing
