#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "cases.hpp"

namespace kiln::testing {
namespace {

/// Some exchanges with all others, the last of which does not end where a rank stays away.
void exchange(const Environment& mpi, mesh::Transport& transport, const char* what) {
  std::vector<int> to(static_cast<std::size_t>(mpi.size()), mpi.rank()), from(to.size());
  std::vector<mesh::Transport::Message> receives, sends;
  for (int rank = 0; rank < mpi.size(); ++rank) {
    if (rank == mpi.rank()) continue;
    receives.push_back(
        {rank, std::as_writable_bytes(std::span(from).subspan(static_cast<std::size_t>(rank), 1))});
    sends.push_back(
        {rank, std::as_writable_bytes(std::span(to).subspan(static_cast<std::size_t>(rank), 1))});
  }
  transport.start(receives, sends, what);
  transport.finish(what);
}

bool is_last(const Environment& mpi) { return mpi.rank() == mpi.size() - 1; }

}  // namespace

void throwing(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  exchange(mpi, *transport, "q");
  if (is_last(mpi)) {
    if (words.at(0) == "bad_input")
      throw Error(Errc::bad_input,
                  "res_calc: argument 2: found a dat of nodes, expected one of cells");
    if (words.at(0) == "device") throw Error(Errc::device, "res_calc: the device is gone");
    if (words.at(0) == "foreign") throw std::runtime_error("something else");
    throw 7;
  }
  exchange(mpi, *transport, "q");
}

void all_throwing(const Environment&, const Words&) {
  throw Error(Errc::bad_input, "grid.h5: the file has no set 'cells'");
}

void aborting(const Environment& mpi, const Words&) {
  const auto transport = mpi::transport(mpi.comm());
  exchange(mpi, *transport, "q");
  if (is_last(mpi)) MPI_Abort(MPI_COMM_WORLD, 7);
  exchange(mpi, *transport, "q");
}

void killed(const Environment& mpi, const Words&) {
  const auto transport = mpi::transport(mpi.comm());
  exchange(mpi, *transport, "q");
  if (is_last(mpi)) ::kill(::getpid(), SIGKILL);
  exchange(mpi, *transport, "q");
}

void stalling(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  exchange(mpi, *transport, "q");
  if (is_last(mpi))
    for (;;) ::pause();
  if (words.at(0) == "exchange") exchange(mpi, *transport, "halo of q, adt before res_calc");
  if (words.at(0) == "gather") transport->gather({}, {}, "sum rms");
  if (words.at(0) == "deliver") {
    std::vector<mesh::Transport::Packet> packets;
    packets.push_back({mpi.size() - 1, std::vector<std::byte>(10)});
    transport->deliver(std::move(packets), "neighbours of cells");
  }
}

void elsewhere(const Environment& mpi, const Words&) {
  const auto transport = mpi::transport(mpi.comm());
  const auto other = mpi::transport(mpi.comm());
  // In another order: of another Mesh, say.
  if (mpi.rank() == 0)
    exchange(mpi, *transport, "halo of q before res_calc");
  else
    other->deliver({}, "neighbours of cells");
}

/// The last rank stays away for three times the limit, held by a debugger: a child of its own. From
/// an exchange, or from where ranks meet for the first time.
void traced(const Environment& mpi, const Words& words) {
  const auto transport = mpi::transport(mpi.comm());
  exchange(mpi, *transport, "q");
  if (is_last(mpi)) {
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    int ready[2], done[2];
    expect(::pipe(ready) == 0 && ::pipe(done) == 0, "no pipe");
    const pid_t self = ::getpid(), debugger = ::fork();
    char held = 0;
    if (debugger == 0) {
      held = ::ptrace(PTRACE_SEIZE, self, nullptr, nullptr) == 0 ? 1 : 0;
      if (::write(ready[1], &held, 1) != 1 || ::read(done[0], &held, 1) != 1) ::_exit(1);
      ::_exit(0);
    }
    expect(::read(ready[0], &held, 1) == 1, "no debugger");
    if (held == 1) {
      const timespec three_times{3, 0};
      ::nanosleep(&three_times, nullptr);
    } else {
      say("no ptrace here");
    }
    // It lets go when it ends.
    expect(::write(done[1], &held, 1) == 1 && ::waitpid(debugger, nullptr, 0) == debugger,
           "the debugger stays");
  }
  if (words.at(0) == "meeting")
    const mpi::Communicator again(mpi.comm().handle());
  else
    exchange(mpi, *transport, "q");
}

void places(const Environment& mpi, const Words&) {
  expect(mpi.local_rank() == mpi.rank() && mpi.comm().local_size() == mpi.size(), "local rank ",
         mpi.local_rank());
  // Of a part of the ranks, in another order.
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, mpi.rank() % 2, -mpi.rank(), &half);
  {
    const Environment part(half);
    expect(part.size() == (mpi.size() + 1 - mpi.rank() % 2) / 2, "size ", part.size());
    const auto transport = mpi::transport(part.comm());
    const int mine = mpi.rank();
    std::vector<int> all(static_cast<std::size_t>(part.size()));
    transport->gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                      "ranks");
    for (std::size_t at = 1; at < all.size(); ++at)
      expect(all[at] == all[at - 1] - 2, "rank ", all[at]);
    expect(&mpi::communicator_of(*transport) != nullptr, "no communicator");
  }
  MPI_Comm_free(&half);
}

}  // namespace kiln::testing
