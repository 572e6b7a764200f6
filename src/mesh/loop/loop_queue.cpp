// The loops that are ready to run again, and those that wait for their results to be asked for.
#include "mesh/loop/loop_queue.hpp"

#include <algorithm>

#include "device/opencl.hpp"
#include "mesh/loop/prepared_loop.hpp"

namespace kiln::mesh {

namespace {

void run_in_order(std::span<PreparedLoop* const> loops) {
  for (std::size_t i = 0; i < loops.size(); ++i)
    loops[i]->run(i + 1 < loops.size() ? loops[i + 1] : nullptr);
}

}  // namespace

LoopQueue::LoopQueue() : table_(64, nullptr) { waiting_.reserve(64); }
LoopQueue::~LoopQueue() = default;

PreparedLoop* LoopQueue::find(const Kernel& kernel, const Iteration& over,
                              std::span<const Arg> arguments) const noexcept {
  const std::uint64_t hash = hash_of(kernel, over, arguments);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    PreparedLoop* loop = table_[at];
    if (loop == nullptr) return nullptr;
    if (loop->hash() == hash && loop->is(kernel, over, arguments)) return loop;
  }
}

PreparedLoop& LoopQueue::add(std::unique_ptr<PreparedLoop> loop, std::size_t most) {
  make_room(std::max<std::size_t>(most, 1));
  loops_.push_back(std::move(loop));
  rebuild();
  return *loops_.back();
}

/// For one more.
void LoopQueue::make_room(std::size_t most) {
  while (loops_.size() + gone_.size() >= most) {
    const auto waits = [&](const auto& loop) {
      return std::find(waiting_.begin(), waiting_.end(), loop.get()) != waiting_.end();
    };
    const auto oldest =
        std::min_element(loops_.begin(), loops_.end(), [&](const auto& a, const auto& b) {
          return std::pair(waits(a), a->last_call()) < std::pair(waits(b), b->last_call());
        });
    const auto gone = std::ranges::min_element(gone_);
    if (gone != gone_.end() &&
        (oldest == loops_.end() || waits(*oldest) || *gone < (*oldest)->last_call())) {
      gone_.erase(gone);
      continue;
    }
    if (waits(*oldest)) {
      run_all();
      continue;
    }
    remember((*oldest)->report());
    loops_.erase(oldest);
  }
}

void LoopQueue::push(PreparedLoop& loop, std::size_t most) {
  loop.called(++calls_);
  waiting_.push_back(&loop);
  if (waiting_.size() > most) run_all();
}

void LoopQueue::rebuild() {
  std::size_t size = 64;
  while (size < 4 * loops_.size()) size *= 2;
  table_.assign(size, nullptr);
  for (const auto& loop : loops_) {
    std::size_t at = loop->hash() & (size - 1);
    while (table_[at] != nullptr) at = (at + 1) & (size - 1);
    table_[at] = loop.get();
  }
}

void LoopQueue::run_all() {
  refuse_after_fork();
  // One that fails is not tried again, and what comes behind it would find wrong data.
  const auto loops = std::exchange(waiting_, {});
  run_in_order(loops);
  waiting_.reserve(64);
}

void LoopQueue::run_for(const void* state, For what, bool in_order) {
  if (waiting_.empty()) return;
  refuse_after_fork();
  std::vector<PreparedLoop*> needed, rest;
  for (auto at = waiting_.rbegin(); at != waiting_.rend(); ++at) {
    PreparedLoop* loop = *at;
    const bool is_asked = what == For::reading ? loop->writes(state) : loop->uses(state);
    const bool is_needed = is_asked || (in_order && !needed.empty()) ||
                           std::any_of(needed.begin(), needed.end(),
                                       [&](const auto* later) { return later->depends_on(*loop); });
    (is_needed ? needed : rest).push_back(loop);
  }
  if (needed.empty()) return;
  waiting_.assign(rest.rbegin(), rest.rend());
  std::reverse(needed.begin(), needed.end());
  run_in_order(needed);
}

std::string LoopQueue::users_of(const void* state) const {
  std::string names;
  for (const auto* loop : waiting_)
    if (loop->uses(state)) names += (names.empty() ? "" : ", ") + loop->name();
  return names;
}

void LoopQueue::remember(const LoopReport& report) {
  if (report.count == 0) return;
  const auto same = std::find_if(past_.begin(), past_.end(), [&](const LoopReport& one) {
    return one.name == report.name && one.form == report.form;
  });
  if (same == past_.end()) return past_.push_back(report);
  add_report(*same, report);
}

bool LoopQueue::forget_loops(const void* state, bool in_order) {
  std::exception_ptr failed;
  try {
    run_for(state, For::writing, in_order);
  } catch (...) {
    failed = std::current_exception();  // the state goes all the same
  }
  const auto gone = std::stable_partition(loops_.begin(), loops_.end(),
                                          [&](const auto& loop) { return !loop->uses(state); });
  const bool was_used = gone != loops_.end();
  for (auto loop = gone; loop != loops_.end(); ++loop) {
    try {
      if (in_order) gone_.push_back((*loop)->last_call());
      remember((*loop)->report());
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  }
  loops_.erase(gone, loops_.end());
  if (was_used) rebuild();
  if (failed) std::rethrow_exception(failed);
  return was_used;
}

}  // namespace kiln::mesh
