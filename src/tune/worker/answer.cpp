#include "tune/worker/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {
namespace {

/// Messages longer than this are cut: a compiler's log.
constexpr std::size_t most_message = 4096;

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

Report Answer::report() const {
  return {failure == Failure::none ? Outcome::of_time(1) : Outcome::of(failure), one_line(message),
          compiling, running};
}

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
    answer.failure = failure_of(error);
    answer.message = error.what();
  } catch (const std::exception& error) {
    answer.failure = Failure::launch;
    answer.message = error.what();
  }
  answer.spent = watch.seconds();
  return answer;
}

}  // namespace kiln::tune
