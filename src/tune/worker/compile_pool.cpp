#include "tune/worker/compile_pool.hpp"

#include <poll.h>

#include <algorithm>

#include "tune/measure/bench.hpp"
#include "tune/worker/worker.hpp"

namespace kiln::tune {
namespace {

/// A process that dies so often in a row without having compiled anything is not started again.
constexpr std::size_t most_deaths = 3;

}  // namespace

void CompilePool::add(ConfigurationId id) {
  waiting_.push_back(id);
  give_work();
}

void CompilePool::wait(ConfigurationId id) {
  while (!done_.contains(id) && step()) {
  }
}

Report CompilePool::take(ConfigurationId id) {
  wait(id);
  const auto found = done_.find(id);
  // No process of the pool could compile it: the worker compiles it itself.
  if (found == done_.end()) return {Outcome::of_time(1), ""};
  Report report = std::move(found->second);
  done_.erase(found);
  return report;
}

void CompilePool::finish() {
  while (step()) {
  }
}

/// The process. Ends with the socket.
void CompilePool::serve(int channel) const {
  Compile compile;
  Answer opened = answered_by([&](Answer&) { compile = open_(); });
  if (opened.failure == Failure::none && !compile) opened.failure = Failure::launch;
  if (!tell(channel, opened) || opened.failure != Failure::none) return;
  ConfigurationId id = 0;
  const auto answer = [&](Answer& to) {
    try {
      compile(id);
    } catch (const Error& error) {
      to.take(report_of(error));
    }
  };
  while (receive_all(channel, &id, sizeof id) == Received::whole)
    if (!tell(channel, answered_by(answer))) return;
}

void CompilePool::start(Slot& slot) {
  if (!slot.child.start([this](int channel) { serve(channel); })) {
    slot.state = Slot::State::useless;
    return;
  }
  slot.state = Slot::State::opening;
  slot.until = std::chrono::steady_clock::now() + limit_;
}

/// Idle processes get what waits; more are started while there is more than they can take.
void CompilePool::give_work() {
  std::size_t coming = 0;
  for (Slot& slot : slots_) {
    if (waiting_.empty()) return;
    if (slot.state == Slot::State::opening) ++coming;
    if (slot.state != Slot::State::idle) continue;
    slot.id = waiting_.front();
    waiting_.pop_front();
    slot.state = Slot::State::busy;
    slot.until = std::chrono::steady_clock::now() + limit_;
    send_all(slot.child.channel(), &slot.id, sizeof slot.id);  // one that died is heard of later
  }
  for (Slot& slot : slots_) {
    if (coming >= waiting_.size()) return;
    if (slot.state != Slot::State::absent) continue;
    start(slot);
    ++coming;
  }
}

/// A process that died or hung. What it was to compile has failed.
void CompilePool::stop(Slot& slot, Failure failure, const std::string& message) {
  const std::string how = slot.child.stop();
  const bool opened = slot.state == Slot::State::busy;
  if (opened) done_[slot.id] = {Outcome::of(failure), message + how};
  slot.state = opened && ++slot.deaths < most_deaths ? Slot::State::absent : Slot::State::useless;
}

void CompilePool::hear_of(Slot& slot) {
  const auto answer = hear(slot.child.channel(), limit_);
  if (!answer) return stop(slot, Failure::crash, "the process that compiles died");
  if (slot.state == Slot::State::opening) {
    if (answer->failure != Failure::none) return stop(slot, answer->failure, answer->message);
  } else {
    done_[slot.id] = answer->report();
    slot.deaths = 0;
  }
  slot.state = Slot::State::idle;
}

bool CompilePool::step() {
  give_work();
  std::vector<pollfd> polled;
  std::vector<Slot*> of;
  auto until = std::chrono::steady_clock::time_point::max();
  for (Slot& slot : slots_) {
    if (slot.state != Slot::State::opening && slot.state != Slot::State::busy) continue;
    polled.push_back({slot.child.channel(), POLLIN, 0});
    of.push_back(&slot);
    until = std::min(until, slot.until);
  }
  // A process that only opens is not waited for where there is nothing for it to do.
  const bool has_work =
      !waiting_.empty() || std::any_of(of.begin(), of.end(), [](const Slot* slot) {
        return slot->state == Slot::State::busy;
      });
  if (polled.empty() || !has_work) return false;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  const int wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
  if (::poll(polled.data(), polled.size(), wait) < 0) return true;  // a signal
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (polled[i].revents != 0)
      hear_of(*of[i]);
    else if (std::chrono::steady_clock::now() >= of[i]->until)
      stop(*of[i], Failure::timeout, "the compile does not end");
  }
  give_work();
  return true;
}

}  // namespace kiln::tune
