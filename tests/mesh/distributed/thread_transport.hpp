#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kiln/mesh/distribution.hpp"

/// Parts of a distributed mesh as threads of one process, for tests.
namespace kiln::mesh::testing {

/// What parts send one another. Thread-safe.
class ThreadPost {
 public:
  explicit ThreadPost(int size) : size_(size), changed_(static_cast<std::size_t>(size)) {}
  int size() const { return size_; }

  /// Messages of different kinds do not meet.
  enum class Kind : std::uint8_t { exchange, gather, deliver };
  struct Letter {
    std::string what;
    std::optional<std::vector<std::byte>> bytes;  ///< none: nothing to deliver
  };
  void send(Kind kind, int from, int to, Letter letter) {
    {
      const std::lock_guard lock(mutex_);
      boxes_[{kind, from, to}].push_back(std::move(letter));
    }
    changed_[static_cast<std::size_t>(to)].notify_one();
  }
  /// Throws where parts wait for different things, where one failed, and after a minute: then the
  /// parts do not do the same.
  std::optional<std::vector<std::byte>> receive(Kind kind, int from, int to,
                                                std::string_view what) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{kind, from, to}];
    const bool is_there = changed_[static_cast<std::size_t>(to)].wait_for(
        lock, std::chrono::minutes(1), [&] { return !box.empty() || has_failed_; });
    if (box.empty())
      throw Error(Errc::io, is_there
                                ? fmt::format("part {}: another part failed", to)
                                : fmt::format("part {}: part {} does not send {}", to, from, what));
    Letter letter = std::move(box.front());
    box.pop_front();
    if (letter.what != what)
      throw Error(Errc::io, fmt::format("part {} waits for '{}', part {} sends '{}'", to, what,
                                        from, letter.what));
    return std::move(letter.bytes);
  }
  /// A part is gone: the others stop to wait.
  void fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
    for (auto& changed : changed_) changed.notify_one();
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::deque<std::condition_variable> changed_;  ///< by part: each waits on one thread
  std::map<std::tuple<Kind, int, int>, std::deque<Letter>> boxes_;
  bool has_failed_ = false;
};

/// Holds its user to the contract: memory that is changed while it is sent, or a message of another
/// size than is awaited, is an error; what is still to come is 0xCC until finish().
class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadPost> post, int rank)
      : post_(std::move(post)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return post_->size(); }

  /// What was sent by start(), in this order.
  struct Sent {
    int to = 0;
    std::size_t bytes = 0;
    std::string what;
    const std::byte* from = nullptr;
  };
  std::vector<Sent> sent;
  std::size_t gathers = 0, deliveries = 0;
  std::size_t delivered = 0;  ///< packets to others, by deliver()

  void start(std::span<const Message> receives, std::span<const Message> sends,
             std::string_view what) override {
    if (is_started_) fail(what, "start() before finish() of the one before");
    is_started_ = true;
    what_ = what;
    receives_.assign(receives.begin(), receives.end());
    sends_.assign(sends.begin(), sends.end());
    check_ranks(receives, what);
    check_ranks(sends, what);
    for (const Message& message : receives_)
      std::memset(message.bytes.data(), 0xCC, message.bytes.size());
    copies_.clear();
    for (const Message& message : sends_) {
      copies_.emplace_back(message.bytes.begin(), message.bytes.end());
      sent.push_back({message.rank, message.bytes.size(), std::string(what), message.bytes.data()});
      post_->send(Kind::exchange, rank_, message.rank, {std::string(what), copies_.back()});
    }
  }

  void finish(std::string_view what) override {
    if (!is_started_) fail(what, "finish() without start()");
    is_started_ = false;
    for (const Message& message : receives_) {
      const auto bytes = post_->receive(Kind::exchange, message.rank, rank_, what_);
      if (bytes->size() != message.bytes.size())
        fail(what, fmt::format("{} bytes came from part {}, expected {}", bytes->size(),
                               message.rank, message.bytes.size()));
      std::ranges::copy(*bytes, message.bytes.begin());
    }
    for (std::size_t at = 0; at < sends_.size(); ++at)
      if (!std::ranges::equal(sends_[at].bytes, copies_[at]))
        fail(what, fmt::format("what is sent to part {} was changed on its way", sends_[at].rank));
  }

  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::string_view what) override {
    ++gathers;
    if (all.size() != mine.size() * static_cast<std::size_t>(size()))
      fail(what, fmt::format("room for {} bytes, expected {} of each of {}", all.size(),
                             mine.size(), size()));
    for (int to = 0; to < size(); ++to)
      post_->send(Kind::gather, rank_, to, {std::string(what), {{mine.begin(), mine.end()}}});
    for (int from = 0; from < size(); ++from) {
      const auto bytes = post_->receive(Kind::gather, from, rank_, what);
      if (bytes->size() != mine.size())
        fail(what,
             fmt::format("part {} gives {} bytes, this one {}", from, bytes->size(), mine.size()));
      std::ranges::copy(*bytes, all.begin() + static_cast<std::ptrdiff_t>(
                                                  static_cast<std::size_t>(from) * mine.size()));
    }
  }

  std::vector<Packet> deliver(std::vector<Packet> packets, std::string_view what) override {
    ++deliveries;
    std::vector<std::optional<std::vector<std::byte>>> by_rank(static_cast<std::size_t>(size()));
    for (Packet& packet : packets) {
      if (packet.rank < 0 || packet.rank >= size())
        fail(what, fmt::format("packet to part {}, expected 0 to {}", packet.rank, size() - 1));
      if (packet.rank != rank_) ++delivered;
      auto& place = by_rank[static_cast<std::size_t>(packet.rank)];
      if (place) fail(what, fmt::format("two packets to part {}", packet.rank));
      place = std::move(packet.bytes);
    }
    for (int to = 0; to < size(); ++to)
      post_->send(Kind::deliver, rank_, to,
                  {std::string(what), std::move(by_rank[static_cast<std::size_t>(to)])});
    std::vector<Packet> arrived;
    for (int from = 0; from < size(); ++from)
      if (auto bytes = post_->receive(Kind::deliver, from, rank_, what))
        arrived.push_back({from, std::move(*bytes)});
    return arrived;
  }

 private:
  using Kind = ThreadPost::Kind;
  [[noreturn]] void fail(std::string_view what, const std::string& why) const {
    throw Error(Errc::bad_input, fmt::format("part {}, {}: {}", rank_, what, why));
  }
  void check_ranks(std::span<const Message> messages, std::string_view what) const {
    std::vector<bool> seen(static_cast<std::size_t>(size()));
    for (const Message& message : messages) {
      if (message.rank < 0 || message.rank >= size() || message.rank == rank_)
        fail(what, fmt::format("message of part {}", message.rank));
      if (seen[static_cast<std::size_t>(message.rank)])
        fail(what, fmt::format("two messages of part {}", message.rank));
      seen[static_cast<std::size_t>(message.rank)] = true;
    }
  }

  std::shared_ptr<ThreadPost> post_;
  const int rank_;
  bool is_started_ = false;
  std::string what_;  ///< of start()
  std::vector<Message> receives_, sends_;
  std::vector<std::vector<std::byte>> copies_;
};

/// Calls `part` with a Transport on as many threads as there are parts, and waits. Throws what a
/// part threw; others that waited for it are not heard then.
inline void in_parts(int parts,
                     const std::function<void(const std::shared_ptr<ThreadTransport>&)>& part) {
  const auto post = std::make_shared<ThreadPost>(parts);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < parts; ++rank)
    threads.emplace_back([&, rank] {
      try {
        part(std::make_shared<ThreadTransport>(post, rank));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        post->fail();
      }
    });
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

/// Fails once, before it sends anything.
class FailingTransport : public ThreadTransport {
 public:
  using ThreadTransport::ThreadTransport;
  void start(std::span<const Message> receives, std::span<const Message> sends,
             std::string_view what) override {
    if (std::exchange(fails, false)) throw Error(Errc::io, "no cable");
    ThreadTransport::start(receives, sends, what);
  }
  bool fails = false;
};

}  // namespace kiln::mesh::testing
