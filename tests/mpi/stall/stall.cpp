// A rank that does not come on within a call of PT-Scotch or parallel HDF5, or before one of MPI: a
// library before theirs has these functions. Not for processes that read by the serial HDF5
// library, too, whose calls would go on to the parallel one.
//
// KILN_MPI_STALL_BEFORE=MPI_Comm_dup: the last rank is stopped when it calls that; a number after a
// colon (MPI_Comm_dup:2): at its second call.
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#define KILN_SHOWN __attribute__((visibility("default")))

namespace {

enum Stall { none, stops, loops } stall = none;

void stall_here() {
  if (stall == stops) ::raise(SIGSTOP);
  if (stall == loops)
    for (volatile bool forever = true; forever;) {
    }
}

long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

/// Open MPI's mpirun tells ranks their numbers before MPI does.
void stall_before(const std::string& call) {
  const char* wanted = std::getenv("KILN_MPI_STALL_BEFORE");
  if (wanted == nullptr ||
      number_of("OMPI_COMM_WORLD_RANK") + 1 < number_of("OMPI_COMM_WORLD_SIZE"))
    return;
  const std::string text = wanted;
  const auto colon = text.find(':');
  if (text.substr(0, colon) != call) return;
  static long calls = 0;
  if (++calls == (colon == std::string::npos ? 1 : std::atol(text.c_str() + colon + 1)))
    ::raise(SIGSTOP);
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

#define KILN_BEFORE(name, parameters, arguments) \
  KILN_SHOWN int name parameters {               \
    stall_before(#name);                         \
    return P##name arguments;                    \
  }

KILN_BEFORE(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided),
            (argc, argv, required, provided))
KILN_BEFORE(MPI_Finalize, (), ())
KILN_BEFORE(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
KILN_BEFORE(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request),
            (comm, made, request))
KILN_BEFORE(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
            (comm, type, key, info, made))
KILN_BEFORE(MPI_Allgather,
            (const void* own, int count, MPI_Datatype type, void* all, int of_each,
             MPI_Datatype all_type, MPI_Comm comm),
            (own, count, type, all, of_each, all_type, comm))
KILN_BEFORE(MPI_Iallgather,
            (const void* own, int count, MPI_Datatype type, void* all, int of_each,
             MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request),
            (own, count, type, all, of_each, all_type, comm, request))
KILN_BEFORE(MPI_Ibcast,
            (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
             MPI_Request* request),
            (data, count, type, root, comm, request))
KILN_BEFORE(MPI_Barrier, (MPI_Comm comm), (comm))
KILN_BEFORE(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
KILN_BEFORE(MPI_Win_allocate_shared,
            (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window),
            (bytes, unit, info, comm, memory, window))
}
