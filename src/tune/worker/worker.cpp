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

bool tell(int channel, const Answer& answer) {
  const AnswerNumbers& numbers = answer;
  return send_all(channel, &numbers, sizeof numbers) &&
         send_text(channel, answer.message, most_message) &&
         send_text(channel, answer.printed, most_message);
}

Expected<Answer> hear(int channel, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  Answer answer;
  AnswerNumbers& numbers = answer;
  Received received = receive_all(channel, &numbers, sizeof numbers, until);
  for (std::string* text : {&answer.message, &answer.printed})
    if (received == Received::whole) received = receive_text(channel, *text, most_message, until);
  if (received == Received::whole) return answer;
  if (received == Received::late)
    return fail(Errc::unsupported, fmt::format("no answer within {} s", limit.count() / 1000));
  return fail(Errc::device, "the process that measures died");
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
  if (auto opened = hear_start(limits_.open, Errc::device, "opening the device"); !opened)
    return opened;
  return hear_start(limits_.prepare, Errc::timeout,
                    "the reference, which says what is right: its compile and run");
}

Expected<void> Worker::hear_start(std::chrono::milliseconds limit, Errc late,
                                  std::string_view what) {
  const auto done = hear(child_.channel(), limit);
  if (!done) {
    const bool is_late = done.error().code() == Errc::unsupported;
    const std::string how = stop();
    if (!is_late) return fail(Errc::device, done.error().message() + how);
    return fail(late, fmt::format("{} did not end within {:g} s", what,
                                  static_cast<double>(limit.count()) / 1000));
  }
  note_output(*done);
  if (done->failure == Failure::none) return {};
  stop();
  return fail(done->failure == Failure::build ? Errc::build : Errc::bad_input, done->message);
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
  const Answer begun = with_output(answered_by([&](Answer&) { bench->begin(); }));
  if (!tell(channel, begun) || begun.failure != Failure::none) return;
  Question question;
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
  while (receive_all(channel, &question, sizeof question) == Received::whole)
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
  if (!report.outcome.ok()) return fail(Errc::device, report.message);
  const Answer answer = ask({Do::record, id, 0, seconds, standard}, limits_.run);
  if (answer.failure != Failure::none) return fail(Errc::device, answer.message);
  return {};
}

std::optional<ConfigurationId> Worker::on_record() {
  const Answer answer = ask({Do::on_record, 0, 0, 0}, limits_.run);
  return answer.failure == Failure::none && answer.has_id ? std::optional(answer.id) : std::nullopt;
}

}  // namespace kiln::tune
