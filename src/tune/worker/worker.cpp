#include "tune/worker/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "base/data/text.hpp"
#include "tune/measure/bench.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {
namespace {

/// Messages longer than this are cut: a compiler's log.
constexpr std::size_t most_message = 4096;

/// The runtime's own checks of a launch and its memory: nothing of it has reached the device.
constexpr std::string_view harmless[] = {
    "CL_INVALID_WORK_GROUP_SIZE",  "CL_INVALID_WORK_ITEM_SIZE",        "CL_INVALID_WORK_DIMENSION",
    "CL_INVALID_GLOBAL_WORK_SIZE", "CL_INVALID_KERNEL_ARGS",           "CL_INVALID_ARG_SIZE",
    "CL_INVALID_BUFFER_SIZE",      "CL_MEM_OBJECT_ALLOCATION_FAILURE",
};

/// What is kept of all that kernels print.
constexpr std::size_t most_printed = 2048;

}  // namespace

Report Answer::report() const {
  return {failure == Failure::none ? Outcome::of_time(1) : Outcome::of(failure), one_line(message),
          compiling, running};
}

void Answer::take(Report report) {
  failure = report.outcome.failure;
  message = std::move(report.message);
  compiling = report.compiling;
  running = report.running;
}

// The two ends are one program, so values are sent as they lie in memory, and the texts behind
// their lengths.
bool tell(int channel, const Answer& answer) {
  const auto length = static_cast<std::uint32_t>(std::min(answer.message.size(), most_message));
  const auto printed = static_cast<std::uint32_t>(std::min(answer.printed.size(), most_message));
  const auto send = [&](const auto& value) { return send_all(channel, &value, sizeof value); };
  return send(answer.failure) && send(answer.seconds) && send(answer.spent) &&
         send(answer.compiling) && send(answer.running) && send(answer.has_id) && send(answer.id) &&
         send(answer.printed_bytes) && send(length) && send(printed) &&
         send_all(channel, answer.message.data(), length) &&
         send_all(channel, answer.printed.data(), printed);
}

Expected<Answer> hear(int channel, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  Answer answer;
  std::uint32_t length = 0, printed = 0;
  Received received = Received::whole;
  const auto get = [&](void* value, std::size_t bytes) {
    if (received == Received::whole) received = receive_all(channel, value, bytes, until);
  };
  get(&answer.failure, sizeof answer.failure);
  get(&answer.seconds, sizeof answer.seconds);
  get(&answer.spent, sizeof answer.spent);
  get(&answer.compiling, sizeof answer.compiling);
  get(&answer.running, sizeof answer.running);
  get(&answer.has_id, sizeof answer.has_id);
  get(&answer.id, sizeof answer.id);
  get(&answer.printed_bytes, sizeof answer.printed_bytes);
  get(&length, sizeof length);
  get(&printed, sizeof printed);
  answer.message.resize(std::min<std::size_t>(length, most_message));
  get(answer.message.data(), answer.message.size());
  answer.printed.resize(std::min<std::size_t>(printed, most_message));
  get(answer.printed.data(), answer.printed.size());
  switch (received) {
    case Received::whole:
      return answer;
    case Received::late:
      return tl::unexpected(
          Error(Errc::unsupported, fmt::format("no answer within {} s", limit.count() / 1000)));
    case Received::ended:
      break;
  }
  return tl::unexpected(Error(Errc::device, "the process that measures died"));
}

Answer answered_by(const std::function<void(Answer&)>& work) {
  Answer answer;
  const Stopwatch watch;
  try {
    work(answer);
  } catch (const Error& error) {
    answer.failure = report_of(error).outcome.failure;
    answer.message = error.what();
  } catch (const std::exception& error) {
    answer.failure = Failure::launch;
    answer.message = error.what();
  }
  answer.spent = watch.seconds();
  return answer;
}

bool may_have_lost_device(Failure failure, std::string_view message) {
  if (failure == Failure::launch)
    return std::none_of(std::begin(harmless), std::end(harmless), [&](std::string_view status) {
      return message.find(status) != message.npos;
    });
  // Too many registers and an access out of bounds have one name: the text does not tell them
  // apart, and a new process costs less than a search whose every later candidate fails.
  return failure == Failure::resources && message.find("CL_OUT_OF_RESOURCES") != message.npos;
}

Expected<void> Worker::start() {
  if (child_.is_running()) return {};
  if (auto started = child_.start([this](int channel) { serve(channel); }); !started)
    return started;
  const auto opened = hear(child_.channel(), limits_.open);
  if (!opened) {
    const std::string how = stop();
    return tl::unexpected(Error(Errc::device, opened.error().message() + how));
  }
  note_output(*opened);
  if (opened->failure == Failure::none) return {};
  stop();
  return tl::unexpected(
      Error(opened->failure == Failure::build ? Errc::build : Errc::bad_input, opened->message));
}

std::string Worker::stop() {
  std::erase_if(prepared_, [](const auto& known) { return known.second.outcome.ok(); });
  return child_.stop();
}

void Worker::replace() {
  ++replaced_;
  // A driver that comes back from a reset may refuse once.
  constexpr int tries = 2;
  for (int i = 0; i < tries; ++i) {
    const auto started = start();
    if (started) return gone_.reset();
    gone_ = Error(Errc::device, "the device is gone, and does not come back: " +
                                    one_line(started.error().message()));
  }
}

/// The child. Ends with the socket.
void Worker::serve(int channel) const {
  KeptOutput output;
  const auto with_output = [&](Answer answer) {
    auto [text, bytes] = output.take();
    answer.printed = std::move(text);
    answer.printed_bytes = bytes;
    return answer;
  };
  std::unique_ptr<Bench> bench;
  const Answer opened = with_output(answered_by([&](Answer&) { bench = open_(); }));
  if (!tell(channel, opened) || opened.failure != Failure::none) return;
  Question question;
  const auto never = std::chrono::steady_clock::now() + std::chrono::hours(24 * 365);
  const auto answer = [&](Answer& to) {
    switch (question.what) {
      case Do::prepare:
        to.take(bench->prepare(question.id));
        break;
      case Do::run:
        to.seconds = bench->run(question.id, question.launches);
        break;
      case Do::record:
        bench->record(question.id, question.seconds, question.standard);
        break;
      case Do::on_record:
        if (const auto known = bench->on_record()) {
          to.has_id = true;
          to.id = *known;
        }
        break;
    }
  };
  while (receive_all(channel, &question, sizeof question, never) == Received::whole)
    if (!tell(channel, with_output(answered_by(answer)))) return;
}

void Worker::note_output(const Answer& answer) {
  printed_bytes_ += answer.printed_bytes;
  const std::size_t room = most_printed - std::min(most_printed, printed_.size());
  printed_.append(answer.printed, 0, room);
}

Answer Worker::ask(const Question& question, std::chrono::milliseconds limit) {
  const auto started = gone_ ? tl::unexpected(*gone_) : start();
  if (!started) {
    Answer none;
    none.failure = Failure::launch;
    none.message = started.error().message();
    return none;
  }
  // Where the child is gone and the question cannot be sent, there is no answer either.
  send_all(child_.channel(), &question, sizeof question);
  auto answer = hear(child_.channel(), limit);
  if (answer) {
    note_output(*answer);
    compiling_ += answer->compiling;
    running_ += question.what == Do::run ? answer->spent : answer->running;
    if ((question.what == Do::prepare || question.what == Do::run) &&
        may_have_lost_device(answer->failure, answer->message)) {
      stop();
      replace();
    }
    return *std::move(answer);
  }
  Answer lost;
  lost.failure = answer.error().code() == Errc::unsupported ? Failure::timeout : Failure::crash;
  lost.message = answer.error().message() + stop();
  replace();
  return lost;
}

Report Worker::prepare(ConfigurationId id) {
  if (const auto known = prepared_.find(id); known != prepared_.end()) return known->second;
  return prepared_[id] = ask({Do::prepare, id, 0, 0}, limits_.prepare).report();
}

Outcome Worker::sample(ConfigurationId id, std::size_t launches) {
  const Report report = prepare(id);
  if (!report.outcome.ok()) return report.outcome;
  const Answer answer = ask({Do::run, id, launches, 0}, limits_.run);
  if (answer.failure == Failure::none) return Outcome::of_time(answer.seconds);
  prepared_[id] = answer.report();
  return Outcome::of(answer.failure);
}

Expected<void> Worker::record(ConfigurationId id, double seconds, double standard) {
  const Report report = prepare(id);
  if (!report.outcome.ok()) return tl::unexpected(Error(Errc::device, report.message));
  const Answer answer = ask({Do::record, id, 0, seconds, standard}, limits_.run);
  if (answer.failure != Failure::none) return tl::unexpected(Error(Errc::device, answer.message));
  return {};
}

std::optional<ConfigurationId> Worker::on_record() {
  const Answer answer = ask({Do::on_record, 0, 0, 0}, limits_.run);
  return answer.failure == Failure::none && answer.has_id ? std::optional(answer.id) : std::nullopt;
}

}  // namespace kiln::tune
