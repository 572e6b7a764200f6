// A rank that does not come on within a call of PT-Scotch or parallel HDF5: a library before theirs
// has these functions. Not for processes that read by the serial HDF5 library, too, whose calls
// would go on to the parallel one.
#include <dlfcn.h>
#include <signal.h>

#include <cstdint>

#define KILN_SHOWN __attribute__((visibility("default")))

namespace {

enum Stall { none, stops, loops } stall = none;

void stall_here() {
  if (stall == stops) ::raise(SIGSTOP);
  if (stall == loops)
    for (volatile bool forever = true; forever;) {
    }
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {
KILN_SHOWN void kiln_mpi_stall(int how);
KILN_SHOWN int SCOTCH_dgraphMap(void* graph, const void* shares, void* strategy, void* parts);
KILN_SHOWN int H5Dread(std::int64_t dataset, std::int64_t type, std::int64_t memory,
                       std::int64_t file, std::int64_t transfer, void* values);

/// From now on: 0 nothing, 1 the process is stopped, 2 it loops for ever.
void kiln_mpi_stall(int how) { stall = static_cast<Stall>(how); }

int SCOTCH_dgraphMap(void* graph, const void* shares, void* strategy, void* parts) {
  stall_here();
  return next<decltype(&SCOTCH_dgraphMap)>("SCOTCH_dgraphMap")(graph, shares, strategy, parts);
}
int H5Dread(std::int64_t dataset, std::int64_t type, std::int64_t memory, std::int64_t file,
            std::int64_t transfer, void* values) {
  stall_here();
  return next<decltype(&H5Dread)>("H5Dread")(dataset, type, memory, file, transfer, values);
}
}
