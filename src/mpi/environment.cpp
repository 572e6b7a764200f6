#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <optional>

#include "base/os/launcher.hpp"
#include "mpi/watch.hpp"

namespace kiln::mpi {
namespace {

/// What the launcher tells before MPI does.
RanksHere launched_ranks() {
  return {.rank = static_cast<int>(rank_of_launcher()),
          .all = static_cast<int>(ranks_of_launcher())};
}

/// Ten times the limit, since many ranks take a while to start, and ten seconds at least: a machine
/// that is busy takes some for a few.
std::chrono::milliseconds start_limit() {
  const auto limit = usual_stall_limit();
  constexpr std::chrono::milliseconds none{0}, least = std::chrono::seconds(10);
  return limit == none ? none : std::max(least, calls_take * limit);
}

}  // namespace

/// Initialises MPI where that has not been done, and ends it then.
class Initialised {
 public:
  Initialised(int* count, char*** words) {
    int before = 0;
    MPI_Initialized(&before);
    if (before != 0) return;
    int level = 0;
    const WatchedCall watched(launched_ranks(), start_limit(), "MPI_Init");
    // One thread at a time uses a Mesh, whichever it is.
    if (MPI_Init_thread(count, words, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
      throw Error(Errc::io, "mpi: MPI_Init_thread failed");
    is_mine_ = true;
    if (level < MPI_THREAD_SERIALIZED)
      throw Error(Errc::unsupported,
                  "mpi: the MPI library is for programs of one thread, expected "
                  "MPI_THREAD_SERIALIZED");
  }
  Initialised(const Initialised&) = delete;
  Initialised& operator=(const Initialised&) = delete;
  ~Initialised() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (is_mine_ && finalized == 0) MPI_Finalize();
  }
  bool is_mine() const { return is_mine_; }

 private:
  bool is_mine_ = false;
};

/// Members go in reverse: communicators before MPI.
struct Environment::State {
  State(int* count, char*** words, MPI_Comm comm) : initialised(count, words), communicator(comm) {}
  Initialised initialised;
  std::optional<Communicator> communicator;
  int exceptions = std::uncaught_exceptions();
};

Environment::Environment(int& count, char**& words)
    : state_(std::make_unique<State>(&count, &words, MPI_COMM_WORLD)) {}
Environment::Environment(MPI_Comm comm) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0)
    throw Error(Errc::bad_input,
                "mpi: MPI is not initialised, expected MPI_Init before a communicator is used");
  state_ = std::make_unique<State>(nullptr, nullptr, comm);
}
Environment::~Environment() {
  if (std::uncaught_exceptions() > state_->exceptions)
    end_all(*comm().state(), 1,
            fmt::format("kiln: rank {}: an exception left the scope of kiln::mpi::Environment "
                        "(Environment::run says which)",
                        rank()));
  if (!state_->initialised.is_mine()) return;
  meet_at_end(*comm().state(), "the end of all ranks");
  RanksHere here = comm().state()->here;
  here.verdict = nullptr;  // it goes with the communicator
  state_->communicator.reset();
  const WatchedCall watched(here, usual_stall_limit(), "MPI_Finalize");
  state_.reset();
}

const Communicator& Environment::comm() const { return *state_->communicator; }

void Environment::run(const std::function<void()>& main) const { mpi::run(comm(), main); }

void run(const Communicator& comm, const std::function<void()>& main) {
  const auto fail = [&](int code, std::string_view message) {
    end_all(*comm.state(), code, fmt::format("kiln: rank {}: {}", comm.rank(), message));
  };
  try {
    main();
  } catch (const Error& error) {
    fail(exit_code(error.code()), error.message());
  } catch (const std::bad_alloc&) {
    fail(1, "out of memory");
  } catch (const std::exception& error) {
    fail(1, error.what());
  } catch (...) {
    fail(1, "an exception of an unknown type");
  }
}

}  // namespace kiln::mpi
