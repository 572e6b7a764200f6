#include "mpi/communicator.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "mpi/watch.hpp"

namespace kiln::mpi {
namespace {

bool is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

MPI_Comm duplicate_of(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &made), "duplicating a communicator");
  return made;
}

}  // namespace

void check(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw Error(Errc::io, fmt::format("mpi: {}: {}", what, one_line(text)));
}

OwnComm::OwnComm(MPI_Comm comm) : comm_(comm) { MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN); }
OwnComm::OwnComm(OwnComm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
OwnComm& OwnComm::operator=(OwnComm&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}
OwnComm::~OwnComm() {
  if (comm_ != MPI_COMM_NULL && is_running()) MPI_Comm_free(&comm_);
}

Communicator::State::State(MPI_Comm of) {
  MPI_Comm_rank(of, &here.rank);
  MPI_Comm_size(of, &here.all);
  const WatchedCall watched(here, usual_stall_limit(),
                            fmt::format("meeting all {} ranks", here.all));
  comm = OwnComm(duplicate_of(of));
  questions = OwnComm(duplicate_of(of));
  find_local_ranks();
  share_verdict();
}

void Communicator::State::find_local_ranks() {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, here.rank, MPI_INFO_NULL, &made),
        "finding the ranks of this machine");
  local = OwnComm(made);
  MPI_Comm_rank(local.get(), &local_rank);
  MPI_Comm_size(local.get(), &local_size);
  here.processes.resize(static_cast<std::size_t>(local_size));
  const pid_t own = ::getpid();
  static_assert(sizeof(pid_t) == sizeof(int));
  check(MPI_Allgather(&own, 1, MPI_INT, here.processes.data(), 1, MPI_INT, local.get()),
        "finding the processes of this machine");
  here.ranks.resize(here.processes.size());
  check(MPI_Allgather(&here.rank, 1, MPI_INT, here.ranks.data(), 1, MPI_INT, local.get()),
        "finding the ranks of this machine");
}

/// Memory that the ranks of a machine share, for the verdict. Without it each rank speaks for
/// itself. It is a file without a name, which goes with the last that has it: a window of MPI goes
/// when all ranks are there at once.
void Communicator::State::share_verdict() {
  std::array<int, 2> place{::getpid(), -1};
  FileDescriptor file;
  if (local_rank == 0) {
    file = FileDescriptor(::memfd_create("kiln verdict", MFD_CLOEXEC));
    if (file && ::ftruncate(file.get(), sizeof(int)) == 0) place[1] = file.get();
  }
  check(MPI_Bcast(place.data(), 2, MPI_INT, 0, local.get()), "sharing memory on this machine");
  if (local_rank != 0 && place[1] >= 0) {
    const std::string path = fmt::format("/proc/{}/fd/{}", place[0], place[1]);
    file = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  if (file && place[1] >= 0) {
    void* const memory =
        ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory != MAP_FAILED) here.verdict = static_cast<int*>(memory);
  }
  // The first one's file is open until all have theirs.
  check(MPI_Barrier(local.get()), "sharing memory on this machine");
}

Communicator::State::~State() {
  if (here.verdict != nullptr) ::munmap(here.verdict, sizeof(int));
}

Communicator::Communicator(MPI_Comm comm) {
  if (!is_running())
    throw Error(Errc::bad_input,
                "mpi: MPI is not initialised, expected kiln::mpi::Environment or MPI_Init");
  if (comm == MPI_COMM_NULL)
    throw Error(Errc::bad_input, "mpi: found MPI_COMM_NULL, expected a communicator");
  state_ = std::make_shared<State>(comm);
}
MPI_Comm Communicator::handle() const { return state_->comm.get(); }
int Communicator::rank() const { return state_->here.rank; }
int Communicator::size() const { return state_->here.all; }
int Communicator::local_rank() const { return state_->local_rank; }
int Communicator::local_size() const { return state_->local_size; }

void end_all(const Communicator::State& state, int exit_code, std::string_view line) {
  const int said = say_end(state.here, exit_code, line);
  MPI_Abort(state.comm.get(), said);
  ::_exit(said);
}

}  // namespace kiln::mpi
