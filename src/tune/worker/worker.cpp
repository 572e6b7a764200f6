#include "tune/worker/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "base/clock.hpp"
#include "base/one_line.hpp"
#include "base/process.hpp"

namespace kiln::tune {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Messages longer than this are cut: a compiler's log.
constexpr std::size_t most_message = 4096;

/// Without a signal where the other end is gone.
bool send_all(int to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::send(to, at, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

enum class Read : std::uint8_t { whole, ended, late };

/// Reads so many bytes until `until`.
Read read_all(int from, void* data, std::size_t bytes,
              std::chrono::steady_clock::time_point until) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const auto left = std::chrono::ceil<Milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Read::late;
    pollfd wait{from, POLLIN, 0};
    const int ready = ::poll(&wait, 1,
                             static_cast<int>(std::min<Milliseconds::rep>(
                                 left.count(), std::numeric_limits<int>::max())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Read::late;
    const ssize_t got = ready < 0 ? -1 : ::read(from, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::ended;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Read::whole;
}

Failure failure_of(const Error& error) {
  switch (error.code()) {
    case Errc::build:
      return Failure::build;
    case Errc::bad_input:
    case Errc::unsupported:
      return Failure::resources;
    default:
      return Failure::launch;
  }
}

}  // namespace

Worker::~Worker() { stop(); }

Expected<void> Worker::start() {
  if (child_ >= 0) return {};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no socket: {}", std::strerror(errno))));
  channel_ = FileDescriptor(ends[0]);
  FileDescriptor child_end(ends[1]);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no process: {}", std::strerror(errno))));
  if (child_ == 0) {
    // A process group of its own: Ctrl-C is for the parent, which ends the child in good order.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    channel_.reset();
    serve(child_end.get());
    ::_exit(0);  // what the parent has open is the parent's to close
  }
  child_end.reset();
  const auto opened = read_answer(limits_.open);
  if (!opened) {
    const std::string how = stop();
    return tl::unexpected(Error(Errc::device, opened.error().message() + how));
  }
  if (opened->failure == Failure::none) return {};
  stop();
  return tl::unexpected(
      Error(opened->failure == Failure::build ? Errc::build : Errc::bad_input, opened->message));
}

std::string Worker::stop() {
  if (child_ < 0) return "";
  channel_.reset();
  int status = 0;
  std::string how;
  if (::waitpid(child_, &status, WNOHANG) == child_) {
    if (WIFSIGNALED(status)) how = " (" + signal_name(WTERMSIG(status)) + ")";
  } else {
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
      how = " (" + signal_name(WTERMSIG(status)) + ")";
  }
  child_ = -1;
  std::erase_if(prepared_, [](const auto& known) { return known.second.outcome.ok(); });
  return how;
}

/// The child. Ends with the pipe.
void Worker::serve(int channel) const {
  const auto tell = [&](const Answer& answer) {
    const std::uint32_t length =
        static_cast<std::uint32_t>(std::min(answer.message.size(), most_message));
    return send_all(channel, &answer.failure, sizeof answer.failure) &&
           send_all(channel, &answer.seconds, sizeof answer.seconds) &&
           send_all(channel, &answer.spent, sizeof answer.spent) &&
           send_all(channel, &length, sizeof length) &&
           send_all(channel, answer.message.data(), length);
  };
  std::unique_ptr<Bench> bench;
  try {
    bench = open_();
  } catch (const Error& error) {
    tell({failure_of(error), 0, 0, error.what()});
    return;
  } catch (const std::exception& error) {
    tell({Failure::launch, 0, 0, error.what()});
    return;
  }
  const auto never = std::chrono::steady_clock::now() + std::chrono::hours(24 * 365);
  if (!tell({})) return;
  Question question;
  while (read_all(channel, &question, sizeof question, never) == Read::whole)
    if (!tell(answer(*bench, question))) return;
  // Without destructors: what a driver does on its way out is not worth waiting for.
}

Worker::Answer Worker::answer(Bench& bench, const Question& question) {
  Answer result;
  const auto start = std::chrono::steady_clock::now();
  try {
    switch (question.what) {
      case Do::prepare: {
        Report report = bench.prepare(question.id);
        result.failure = report.outcome.failure;
        result.message = std::move(report.message);
        break;
      }
      case Do::run:
        result.seconds = bench.run(question.id, question.launches);
        break;
      case Do::record:
        bench.record(question.id, question.seconds);
        break;
    }
  } catch (const Error& error) {
    result.failure = failure_of(error);
    result.message = error.what();
  } catch (const std::exception& error) {
    result.failure = Failure::launch;
    result.message = error.what();
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  result.spent = spent.count();
  return result;
}

Expected<Worker::Answer> Worker::read_answer(Milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  Answer answer;
  std::uint32_t length = 0;
  const auto get = [&](auto& value) {
    return read_all(channel_.get(), &value, sizeof value, until);
  };
  for (const Read read : {get(answer.failure), get(answer.seconds), get(answer.spent), get(length)})
    if (read != Read::whole)
      return tl::unexpected(Error(read == Read::late ? Errc::unsupported : Errc::device,
                                  read == Read::late
                                      ? fmt::format("no answer within {} s", limit.count() / 1000)
                                      : "the process that measures died"));
  answer.message.resize(std::min<std::size_t>(length, most_message));
  if (read_all(channel_.get(), answer.message.data(), answer.message.size(), until) != Read::whole)
    return tl::unexpected(Error(Errc::device, "the process that measures died"));
  return answer;
}

Worker::Answer Worker::ask(const Question& question, Milliseconds limit) {
  if (auto started = start(); !started) return {Failure::launch, 0, 0, started.error().message()};
  Expected<Answer> answer = Answer{};
  if (send_all(channel_.get(), &question, sizeof question))
    answer = read_answer(limit);
  else
    answer = tl::unexpected(Error(Errc::device, "the process that measures died"));
  if (answer) {
    (question.what == Do::prepare ? preparing_ : running_) += answer->spent;
    return *std::move(answer);
  }
  ++replaced_;
  const bool hung = answer.error().code() == Errc::unsupported;
  const std::string how = stop();
  return {hung ? Failure::timeout : Failure::crash, 0, 0, answer.error().message() + how};
}

Report Worker::prepare(ConfigurationId id) {
  if (const auto known = prepared_.find(id); known != prepared_.end()) return known->second;
  const Answer answer = ask({Do::prepare, id, 0, 0}, limits_.prepare);
  const Report report{
      answer.failure == Failure::none ? Outcome::of_time(1) : Outcome::of(answer.failure),
      one_line(answer.message)};
  prepared_[id] = report;
  return report;
}

Outcome Worker::sample(ConfigurationId id, std::size_t launches) {
  const Report report = prepare(id);
  if (!report.outcome.ok()) return report.outcome;
  const Answer answer = ask({Do::run, id, launches, 0}, limits_.run);
  if (answer.failure == Failure::none) return Outcome::of_time(answer.seconds);
  prepared_[id] = {Outcome::of(answer.failure), one_line(answer.message)};
  return Outcome::of(answer.failure);
}

Expected<void> Worker::record(ConfigurationId id, double seconds) {
  const Report report = prepare(id);
  if (!report.outcome.ok()) return tl::unexpected(Error(Errc::device, report.message));
  const Answer answer = ask({Do::record, id, 0, seconds}, limits_.run);
  if (answer.failure != Failure::none) return tl::unexpected(Error(Errc::device, answer.message));
  return {};
}

}  // namespace kiln::tune
