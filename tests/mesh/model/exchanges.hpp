#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "kiln/mesh.hpp"

/// Exchanges of halos for tests.
namespace kiln::mesh::testing {

/// Messages from one part to the other, in order.
class Channel {
 public:
  void send(std::vector<std::byte> message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    arrived_.notify_one();
  }
  std::vector<std::byte> receive() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !messages_.empty(); });
    auto message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::vector<std::byte>> messages_;
};

/// Sends listed elements of a set to the other part, and puts what comes behind the owned ones.
class PairExchange : public HaloExchange {
 public:
  PairExchange(Channel& out, Channel& in, std::vector<std::size_t> sends)
      : out_(out), in_(in), sends_(std::move(sends)) {}
  void begin(const HaloValues& dat) override {
    const std::size_t bytes = dat.dim * size_of(dat.type);
    std::vector<std::byte> message;
    for (const auto element : sends_) {
      const auto from = dat.values.subspan(element * bytes, bytes);
      message.insert(message.end(), from.begin(), from.end());
    }
    out_.send(std::move(message));
    calls.push_back("begin " + std::string(dat.name));
  }
  void end(const HaloValues& dat) override {
    const auto message = in_.receive();
    const std::size_t bytes = dat.dim * size_of(dat.type);
    ASSERT_EQ(message.size(), (dat.total - dat.owned) * bytes);
    std::ranges::copy(message, dat.values.begin() + static_cast<std::ptrdiff_t>(dat.owned * bytes));
    calls.push_back("end " + std::string(dat.name));
  }
  std::vector<std::string> calls;

 private:
  Channel &out_, &in_;
  std::vector<std::size_t> sends_;
};

/// Notes what it is asked, and gives every copy a number; of Dats of int and of double.
class Noting : public HaloExchange {
 public:
  void begin(const HaloValues& dat) override {
    calls += "begin " + std::string(dat.name) + " " + std::to_string(first(dat)) + "; ";
    if (fails_in == 1) throw Error(Errc::io, "the wire is cut");
  }
  void end(const HaloValues& dat) override {
    calls += "end " + std::string(dat.name) + "; ";
    if (fails_in == 2) throw Error(Errc::io, "the wire is cut");
    for (std::size_t k = dat.owned * dat.dim; k < dat.total * dat.dim; ++k)
      dat.type == ScalarType::i32 ? void(dat.as<int>()[k] = 77) : void(dat.as<double>()[k] = 77);
  }
  std::string calls;
  int fails_in = 0;

 private:
  static int first(const HaloValues& dat) {
    return dat.type == ScalarType::i32 ? dat.as<int>()[0] : static_cast<int>(dat.as<double>()[0]);
  }
};

}  // namespace kiln::mesh::testing
