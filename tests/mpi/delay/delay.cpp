// libkiln-mpi-delay.so, preloaded: a network that takes longer, and a count of what a rank sends
// that knows nothing of Kiln. By MPI's profiling interface, so it works with any program.
//
// Delayed are messages of persistent requests (MPI_Start, MPI_Startall), which halos are: they do
// not complete before so long after the sender started them, whatever the receiver did meanwhile.
// The sender's clock comes along in a message of its own; all ranks are on one machine, whose
// monotonic clock they share.
//
// KILN_MPI_DELAY_US: microseconds at the start; kiln_mpi_delay() changes it. KILN_MPI_COUNTS=PATH:
// at the end each rank writes PATH.RANK, a line "KIND PEER MESSAGES BYTES" for each kind of call
// (start, isend, issend, send) and each rank of MPI_COMM_WORLD that it sent to.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace {

double now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Count {
  long long messages = 0, bytes = 0;
};

/// A persistent request.
struct Tracked {
  bool receives = false, is_running = false;
  int peer = 0, tag = 0;  ///< of MPI_COMM_WORLD
  long long bytes = 0;
  double started = 0;                    ///< by the sender's clock
  MPI_Request clock = MPI_REQUEST_NULL;  ///< of the message that brings it
};

double delay = 0;
MPI_Comm clocks = MPI_COMM_NULL;
std::unordered_map<MPI_Request, Tracked> tracked;
std::map<std::pair<std::string, int>, Count> counts;

int world_rank(int rank, MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int found = MPI_UNDEFINED;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &found);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return found;
}

long long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<long long>(count) * size;
}

void count(const char* kind, int peer, long long bytes) {
  Count& of = counts[{kind, peer}];
  ++of.messages;
  of.bytes += bytes;
}
void count(const char* kind, int peer, MPI_Comm comm, int number, MPI_Datatype type) {
  if (peer != MPI_PROC_NULL) count(kind, world_rank(peer, comm), bytes_of(number, type));
}

void track(MPI_Request request, Tracked of, int peer, MPI_Comm comm) {
  if (peer < 0) return;  // any source, or no rank
  of.peer = world_rank(peer, comm);
  tracked[request] = of;
}

void start(MPI_Request request) {
  const auto found = tracked.find(request);
  if (found == tracked.end()) return;
  Tracked& of = found->second;
  // Of the time before: it has come long since.
  PMPI_Wait(&of.clock, MPI_STATUS_IGNORE);
  of.is_running = true;
  if (of.receives) {
    PMPI_Irecv(&of.started, 1, MPI_DOUBLE, of.peer, of.tag, clocks, &of.clock);
  } else {
    of.started = now();
    count("start", of.peer, of.bytes);
    PMPI_Isend(&of.started, 1, MPI_DOUBLE, of.peer, of.tag, clocks, &of.clock);
  }
}

/// Whether the network has brought it.
bool may_complete(MPI_Request request) {
  const auto found = tracked.find(request);
  if (found == tracked.end() || !found->second.is_running) return true;
  int is_here = 0;
  PMPI_Test(&found->second.clock, &is_here, MPI_STATUS_IGNORE);
  return is_here != 0 && now() >= found->second.started + delay;
}
bool may_complete(int number, const MPI_Request* requests) {
  return std::all_of(requests, requests + number,
                     [](MPI_Request request) { return may_complete(request); });
}
void completed(int number, const MPI_Request* requests) {
  for (int at = 0; at < number; ++at)
    if (const auto found = tracked.find(requests[at]); found != tracked.end())
      found->second.is_running = false;
}

void begin() {
  PMPI_Comm_dup(MPI_COMM_WORLD, &clocks);
  if (const char* text = std::getenv("KILN_MPI_DELAY_US")) delay = 1e-6 * std::atof(text);
}

void write_counts() {
  const char* path = std::getenv("KILN_MPI_COUNTS");
  if (path == nullptr) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::FILE* file = std::fopen((std::string(path) + "." + std::to_string(rank)).c_str(), "w");
  if (file == nullptr) return;
  for (const auto& [what, of] : counts)
    std::fprintf(file, "%s %d %lld %lld\n", what.first.c_str(), what.second, of.messages, of.bytes);
  std::fclose(file);
}

}  // namespace

extern "C" {

#define KILN_SHOWN __attribute__((visibility("default")))

/// From now on, seconds.
KILN_SHOWN void kiln_mpi_delay(double seconds) { delay = seconds; }
/// Messages and bytes of persistent requests that this rank has started to send.
KILN_SHOWN void kiln_mpi_started(long long* messages, long long* bytes) {
  *messages = *bytes = 0;
  for (const auto& [what, of] : counts) {
    if (what.first != "start") continue;
    *messages += of.messages;
    *bytes += of.bytes;
  }
}

/// Those to one rank of MPI_COMM_WORLD.
KILN_SHOWN void kiln_mpi_started_to(int rank, long long* messages, long long* bytes) {
  const auto found = counts.find({"start", rank});
  const Count of = found == counts.end() ? Count{} : found->second;
  *messages = of.messages;
  *bytes = of.bytes;
}

KILN_SHOWN int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}
KILN_SHOWN int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}
KILN_SHOWN int MPI_Finalize() {
  write_counts();
  if (clocks != MPI_COMM_NULL) PMPI_Comm_free(&clocks);
  return PMPI_Finalize();
}

KILN_SHOWN int MPI_Recv_init(void* buffer, int number, MPI_Datatype type, int source, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Recv_init(buffer, number, type, source, tag, comm, request);
  if (code == MPI_SUCCESS && tag >= 0)
    track(*request, {.receives = true, .tag = tag, .bytes = bytes_of(number, type)}, source, comm);
  return code;
}
KILN_SHOWN int MPI_Send_init(const void* buffer, int number, MPI_Datatype type, int target, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Send_init(buffer, number, type, target, tag, comm, request);
  if (code == MPI_SUCCESS)
    track(*request, {.receives = false, .tag = tag, .bytes = bytes_of(number, type)}, target, comm);
  return code;
}
KILN_SHOWN int MPI_Start(MPI_Request* request) {
  start(*request);
  return PMPI_Start(request);
}
KILN_SHOWN int MPI_Startall(int number, MPI_Request* requests) {
  for (int at = 0; at < number; ++at) start(requests[at]);
  return PMPI_Startall(number, requests);
}
KILN_SHOWN int MPI_Request_free(MPI_Request* request) {
  if (const auto found = tracked.find(*request); found != tracked.end()) {
    // A clock that is still awaited will not come: its memory goes.
    if (found->second.clock != MPI_REQUEST_NULL) {
      PMPI_Cancel(&found->second.clock);
      PMPI_Wait(&found->second.clock, MPI_STATUS_IGNORE);
    }
    tracked.erase(found);
  }
  return PMPI_Request_free(request);
}

KILN_SHOWN int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request asked = *request;
  if (!may_complete(asked)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int code = PMPI_Test(request, flag, status);
  if (*flag != 0) completed(1, &asked);
  return code;
}
KILN_SHOWN int MPI_Testall(int number, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (!may_complete(number, requests)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  // Persistent requests keep their names; others are not tracked.
  const int code = PMPI_Testall(number, requests, flag, statuses);
  if (*flag != 0) completed(number, requests);
  return code;
}
KILN_SHOWN int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request asked = *request;
  while (!may_complete(asked)) {
  }
  const int code = PMPI_Wait(request, status);
  completed(1, &asked);
  return code;
}
KILN_SHOWN int MPI_Waitall(int number, MPI_Request* requests, MPI_Status* statuses) {
  while (!may_complete(number, requests)) {
  }
  const int code = PMPI_Waitall(number, requests, statuses);
  completed(number, requests);
  return code;
}

KILN_SHOWN int MPI_Isend(const void* buffer, int number, MPI_Datatype type, int target, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  count("isend", target, comm, number, type);
  return PMPI_Isend(buffer, number, type, target, tag, comm, request);
}
KILN_SHOWN int MPI_Issend(const void* buffer, int number, MPI_Datatype type, int target, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  count("issend", target, comm, number, type);
  return PMPI_Issend(buffer, number, type, target, tag, comm, request);
}
KILN_SHOWN int MPI_Send(const void* buffer, int number, MPI_Datatype type, int target, int tag,
                        MPI_Comm comm) {
  count("send", target, comm, number, type);
  return PMPI_Send(buffer, number, type, target, tag, comm);
}

}  // extern "C"
