#include "mpi/watch.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <thread>

#include "base/data/text.hpp"
#include "base/lifetime.hpp"
#include "base/os/environment.hpp"

namespace kiln::mpi {
namespace {

using namespace std::chrono_literals;

// Of the communicator for questions.
constexpr int question_tag = 1, answer_tag = 2;
constexpr std::size_t longest_answer = 200;
constexpr auto pause = 50us;
/// How often those who wait look for questions, and how long they wait for answers.
constexpr auto question_interval = 100ms;
constexpr auto answer_limit = 2s;

bool has_message(MPI_Comm comm, int tag, MPI_Status& status) {
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status), "looking for messages");
  return found != 0;
}

std::string receive_text(MPI_Comm comm, const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  std::string text(static_cast<std::size_t>(size), '\0');
  check(MPI_Recv(text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm,
                 MPI_STATUS_IGNORE),
        "receiving an answer");
  return text;
}

/// What a rank does between two looks at its messages. MPI moves messages while it is called: where
/// nothing else wants the core it is asked all the time. Where a thread that computes does, that
/// one goes first, and MPI is asked now and then.
class Pauses {
 public:
  void next(Watch::Clock::time_point now) {
    if (now - begin_ < spin) return;
    if (now - begin_ < patience && (!is_shared_ || ++pauses_ % try_again == 0)) {
      std::this_thread::yield();
      is_shared_ = Watch::Clock::now() - now > own_core;
    } else {
      std::this_thread::sleep_for(pause);
    }
  }

 private:
  static constexpr auto spin = 50us;
  static constexpr auto patience = 200ms;
  /// A thread that lets others go first is back sooner where there are none.
  static constexpr auto own_core = 20us;
  static constexpr unsigned try_again = 20;

  Watch::Clock::time_point begin_ = Watch::Clock::now();
  bool is_shared_ = false;
  unsigned pauses_ = 0;
};

constexpr auto usual_limit = 60s;
/// How often those who wait look within their limit whether a debugger holds a rank.
constexpr int looks = 10;

}  // namespace

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

MPI_Comm Watch::questions() const { return state_->questions.get(); }

void Watch::answer(std::string_view what) const {
  MPI_Status status;
  while (has_message(questions(), question_tag, status)) {
    receive_text(questions(), status);
    const std::string_view text = what.substr(0, longest_answer);
    // Small enough that MPI takes a copy.
    check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, status.MPI_SOURCE,
                   answer_tag, questions()),
          "answering");
  }
}

void Watch::stalled(std::string_view what, const std::vector<int>& missing) const {
  std::vector<MPI_Request> asked(static_cast<std::size_t>(size()), MPI_REQUEST_NULL);
  for (int other = 0; other < size(); ++other)
    if (other != rank())
      MPI_Isend(nullptr, 0, MPI_CHAR, other, question_tag, questions(),
                &asked[static_cast<std::size_t>(other)]);
  std::map<int, std::string> answers{{rank(), std::string(what)}};
  const auto end = Clock::now() + answer_limit;
  while (answers.size() < asked.size() && Clock::now() < end) {
    answer(what);
    MPI_Status status;
    if (has_message(questions(), answer_tag, status))
      answers[status.MPI_SOURCE] = receive_text(questions(), status);
    else
      std::this_thread::sleep_for(pause);
  }

  std::vector<int> silent, elsewhere;
  for (int other = 0; other < size(); ++other) {
    const auto answered = answers.find(other);
    if (answered == answers.end())
      silent.push_back(other);
    else if (answered->second != what.substr(0, longest_answer) && other != rank())
      elsewhere.push_back(other);
  }
  std::string line =
      fmt::format("kiln: rank {}: {}: waited {}", rank(), one_line(what), seconds_text(stall_));
  if (!missing.empty()) line += fmt::format(" for {}", name_ranks(missing));
  if (!silent.empty()) line += fmt::format("; no sign of life from {}", name_ranks(silent));
  if (!elsewhere.empty())
    line += fmt::format("; {} waits for something else: {}", name_ranks({elsewhere.front()}),
                        one_line(answers[elsewhere.front()]));
  end_all(*state_, exit_code(Errc::timeout), line);
}

void Watch::wait(std::string_view what, const std::function<bool()>& is_done,
                 const std::function<std::vector<int>()>& missing) {
  if (is_done()) return;
  auto since = Clock::now();
  auto next_questions = since + question_interval, next_look = since + stall_ / looks;
  Pauses pauses;
  while (!is_done()) {
    const auto now = Clock::now();
    if (now >= next_questions) {
      answer(what);
      next_questions = now + question_interval;
    }
    if (stall_ != 0ms && now >= next_look) {
      if (debugger_holds(state_->here)) since = now;
      if (now - since > stall_) stalled(what, missing ? missing() : std::vector<int>());
      next_look = now + stall_ / looks;
    }
    pauses.next(now);
  }
}

void Watch::wait(std::string_view what, MPI_Request request, const std::vector<int>& missing) {
  const auto is_done = [&] {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    return done != 0;
  };
  wait(what, is_done, [&] { return missing; });
}

void Watch::meet(std::string_view what) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(handle(), &barrier), what);
  wait(what, barrier);
}

OwnComm Watch::duplicate(std::string_view what) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Comm_idup(handle(), &made, &request), what);
  wait(what, request);
  return OwnComm(made);
}

std::chrono::milliseconds stall_limit(std::optional<std::chrono::milliseconds> given) {
  if (given) return *given;
  const std::string text = environment("KILN_MPI_STALL");
  if (text.empty()) return usual_limit;
  if (text == "off") return 0ms;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr double most = 1e9;
  if (error != std::errc() || end != text.data() + text.size() ||
      !(seconds >= 0 && seconds <= most))
    throw Error(
        Errc::bad_input,
        fmt::format("KILN_MPI_STALL: found '{}', expected seconds or 'off'", one_line(text)));
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::chrono::milliseconds usual_stall_limit() noexcept {
  try {
    return stall_limit({});
  } catch (const std::exception&) {
    return usual_limit;
  }
}

void meet_at_end(Communicator::State& state, std::string_view what) noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  try {
    Watch(state, usual_stall_limit()).meet(what);
  } catch (const std::exception&) {
    // Who frees something has no caller to tell.
  }
}

WatchedCall::WatchedCall(const RanksHere& here, std::chrono::milliseconds limit, std::string what)
    : here_(here), limit_(limit), what_(std::move(what)) {
  if (limit_.count() == 0 || here_.all == 1) return;
  const SignalsBlocked of_the_application;
  thread_ = std::thread([this] { look_after(); });
}

WatchedCall::WatchedCall(const Watch& watch, std::string what)
    : WatchedCall(watch.comm().here, watch.call_limit(), std::move(what)) {}

WatchedCall::~WatchedCall() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void WatchedCall::look_after() {
  // By counting: while this process was stopped itself the time between two looks was long.
  std::unique_lock lock(mutex_);
  int look = 0;
  while (!changed_.wait_for(lock, limit_ / looks, [&] { return is_over_; })) {
    look = debugger_holds(here_) ? 0 : look + 1;
    if (look == looks)
      end_process(here_, exit_code(Errc::timeout),
                  fmt::format("kiln: rank {}: {}: not done after {}{}", here_.rank, one_line(what_),
                              seconds_text(limit_), stopped_text(here_)));
  }
}

}  // namespace kiln::mpi
