#include "store/layer/write_queue.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/lifetime.hpp"

namespace kiln {

struct WriteQueue::State {
  explicit State(Limits given) : limits(given) {}

  const Limits limits;
  const pid_t process = ::getpid();
  std::mutex mutex;                     // of what follows
  std::condition_variable_any changed;  ///< something was added or written
  std::deque<Item> waiting;             ///< the first is being written
  std::size_t bytes = 0;                ///< of these
  std::size_t refused = 0;              ///< by add_if_room()
  std::jthread thread;                  ///< writes them; ends only when the queue is empty
};

namespace {

using State = WriteQueue::State;

/// What fails has said so; an exception must not end the process.
void write(const WriteQueue::Item& item) {
  try {
    item.write();
  } catch (...) {
    // Also what the user's own log sink throws while it is told.
  }
}

void write_all(const std::stop_token& stop, State& state) {
  std::unique_lock lock(state.mutex);
  const auto has_work = [&] { return !state.waiting.empty(); };
  // One that was stopped may see what was added since: another thread's.
  while (state.changed.wait(lock, stop, has_work) && !stop.stop_requested()) {
    // Counts as waiting until it is written, for those who wait for it.
    WriteQueue::Item& item = state.waiting.front();
    lock.unlock();
    write(item);
    // What it holds may be dear to let go, or hold a lock that others wait for.
    item.write = nullptr;
    lock.lock();
    state.bytes -= item.bytes;
    state.waiting.pop_front();
    state.changed.notify_all();
  }
}

void finish(State& state) {
  // A child's copy of its parent's queue: there is no thread, and nothing of it is the child's.
  if (state.process != ::getpid()) return;
  std::jthread ending;
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.waiting.empty(); });
  ending = std::move(state.thread);
  ending.request_stop();
  lock.unlock();
}

/// The queues to which this copy of the code has added: finished when the process ends, or when
/// the library with this code is unloaded, since then no thread may run it.
class AtExit {
 public:
  /// False where it is too late for that.
  static bool watch(const std::shared_ptr<State>& state) {
    Known& known = all();
    const std::lock_guard lock(known.mutex);
    if (known.is_over) return false;
    // After what the queues write to, if that is static, too: so it goes before.
    static const AtExit ending;
    const auto same = [&](const auto& one) { return one.lock() == state; };
    std::erase_if(known.states, [](const auto& one) { return one.expired(); });
    if (std::none_of(known.states.begin(), known.states.end(), same)) known.states.push_back(state);
    return true;
  }
  ~AtExit() {
    std::vector<std::weak_ptr<State>> states;
    {
      const std::lock_guard lock(all().mutex);
      all().is_over = true;
      states.swap(all().states);
    }
    for (const auto& one : states)
      if (const auto state = one.lock()) finish(*state);
  }

 private:
  struct Known {
    Known() {
      ::pthread_atfork([] { all().mutex.lock(); }, [] { all().mutex.unlock(); },
                       [] { all().mutex.unlock(); });
    }
    std::mutex mutex;
    std::vector<std::weak_ptr<State>> states;
    bool is_over = false;
  };
  // Other threads may add while the process ends.
  static Known& all() {
    static NeverDestroyed<Known> one;
    return *one;
  }
};

/// Whether there is a thread. Called under the mutex.
bool start_thread(State& state) {
  if (state.thread.joinable()) return true;
  const SignalsBlocked blocked;
  try {
    state.thread = std::jthread([&state](const std::stop_token& stop) { write_all(stop, state); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Both under the mutex.

/// The largest there is goes alone.
bool has_room(const State& state, const WriteQueue::Item& item) {
  return state.waiting.empty() || (state.waiting.size() < state.limits.entries &&
                                   state.bytes + item.bytes <= state.limits.bytes);
}

/// Whether it was taken: not where there is no thread.
bool push(State& state, WriteQueue::Item& item) {
  if (!start_thread(state)) return false;
  state.bytes += item.bytes;
  state.waiting.push_back(std::move(item));
  state.changed.notify_all();
  return true;
}

}  // namespace

WriteQueue::WriteQueue(Limits limits) : state_(std::make_shared<State>(limits)) { watch(); }

WriteQueue::~WriteQueue() {
  kiln::finish(*state_);
  unwatch();
}

void WriteQueue::add(Item item) {
  State& state = *state_;
  bool is_taken = AtExit::watch(state_);
  if (is_taken) {
    std::unique_lock lock(state.mutex);
    state.changed.wait(lock, [&] { return has_room(state, item); });
    is_taken = push(state, item);
  }
  if (is_taken) return;
  // In order all the same.
  kiln::finish(state);
  write(item);
}

bool WriteQueue::add_if_room(Item item) {
  const std::lock_guard lock(state_->mutex);
  const bool is_taken = has_room(*state_, item) && push(*state_, item);
  if (!is_taken) ++state_->refused;
  return is_taken;
}

std::size_t WriteQueue::refused() const {
  const std::lock_guard lock(state_->mutex);
  return state_->refused;
}

void WriteQueue::wait_for(Kind kind, const Key& key) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] {
    return std::none_of(state.waiting.begin(), state.waiting.end(),
                        [&](const Item& item) { return item.kind == kind && item.key == key; });
  });
}

void WriteQueue::finish() { kiln::finish(*state_); }

void WriteQueue::before_fork() { state_->mutex.lock(); }

void WriteQueue::after_fork() {
  if (state_->process == ::getpid()) return state_->mutex.unlock();
  // Not destroyed: that would wait for a thread that is not here, and release what the parent
  // holds.
  static_cast<void>(new std::shared_ptr<State>(state_));
  state_ = std::make_shared<State>(state_->limits);
}

}  // namespace kiln
