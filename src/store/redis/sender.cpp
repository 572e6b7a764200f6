#include "store/redis/sender.hpp"

#include <fmt/format.h>

#include <system_error>

namespace kiln::redis {

Sender::Sender(Send send, Limits limits) : send_(std::move(send)), limits_(limits) {}

Expected<void> Sender::add(Item item) {
  const std::lock_guard lock(mutex_);
  const auto drop = [&](Errc code, std::string reason) {
    ++dropped_.entries;
    dropped_.reason = reason;
    return fail(code, std::move(reason));
  };
  if (waiting_.size() >= limits_.entries || bytes_ + item.size() > limits_.bytes)
    return drop(Errc::refused,
                fmt::format("{} entries of {} bytes wait already", waiting_.size(), bytes_));
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return drop(Errc::io, fmt::format("no thread to send it: {}", error.what()));
  }
  const std::size_t size = item.size();
  waiting_.push_back(std::move(item));
  bytes_ += size;
  changed_.notify_one();
  return {};
}

void Sender::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return finishing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Item item = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const Expected<void> sent = send(item);
    lock.lock();
    bytes_ -= item.size();
    // Other failures are the server's, which are reported when they begin.
    if (!sent && end_ns_ <= now_ns()) {
      ++dropped_.entries;
      dropped_.reason = "there was no time left";
    }
  }
}

Expected<void> Sender::send(const Item& item) const {
  const Deadline deadline = Deadline(limits_.patience).capped_by(end_ns_);
  // A server that is not asked any more must not be taken for one that does not answer.
  if (deadline.over()) return fail(Errc::timeout, "timed out before the request was sent");
  try {
    return send_(item, deadline);
  } catch (const std::exception& problem) {
    // No memory, mostly. Thrown on, it would end the process.
    return fail(Errc::internal, problem.what());
  }
}

Sender::Dropped Sender::finish(std::chrono::milliseconds bound) {
  // A wait in the thread notices a new end at its next look.
  const std::chrono::nanoseconds rest = bound;
  end_ns_ = now_ns() + std::max<std::int64_t>((rest - Deadline::slice()).count(), 0);
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  return dropped_;
}

}  // namespace kiln::redis
