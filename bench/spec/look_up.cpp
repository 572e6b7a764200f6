// What finding a program costs before any store is asked: making the Key of a Request, and the
// memory layer.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <mutex>
#include <random>
#include <thread>

#include "base/clock.hpp"
#include "device/context.hpp"
#include "frame/statistics.hpp"
#include "kernel/program/program.hpp"
#include "kernel/resolver/resolver.hpp"
#include "spec/bars.hpp"
#include "spec/lock_counter.hpp"
#include "spec/sandbox.hpp"
#include "store/bars.hpp"

namespace kiln::bench {

namespace {

constexpr int kBatches = 400;
constexpr int kThreads = 8;
constexpr int kPrograms = 1000;  // a large application's
constexpr int kFinds = 200'000;  // in one thread's loop

/// A program of 10 kB, of a spec with macros.
Request request_of_10_kb() {
  Request request;
  std::string text;
  while (text.size() < 10'000)
    text += fmt::format("kernel void k{}(global int *a);\n", text.size());
  request.family = "source";
  request.source = value_or_throw(from_text(std::move(text), "bench.cl"));
  request.options = "-DBLOCK=16 -DRADIUS=2 -cl-mad-enable";
  request.kernels = {"vector_add"};
  return request;
}

Outcome key_time(const Context&) {
  use_own_driver_cache();
  const auto device = value_or_throw(select_devices("cpu")).front();
  const Request request = request_of_10_kb();
  const Parameters parameters{{"block", 64}, {"unroll", 4}};
  std::vector<double> samples;
  std::size_t sum = 0;  // of what every Key gave, so that none may be left out
  for (int batch = 0; batch < kBatches; ++batch) {
    constexpr int keys = 200;
    const auto start = now_ns();
    for (int i = 0; i < keys; ++i)
      sum += KeyHash{}(key_of(canonical_request(request, parameters, *device)));
    samples.push_back(static_cast<double>(now_ns() - start) * 1e-3 / keys);
  }
  const auto bytes = canonical_request(request, parameters, *device).size();
  if (sum == 0) return not_measured("every Key is zero");
  return Figure{median(samples),
                fmt::format("{} canonical bytes, quartiles {:.3f} to {:.3f} us", bytes,
                            quantile(samples, 0.25), quantile(samples, 0.75))};
}

/// A context with many programs, and their Keys in another order. The programs are empty: finding
/// them is all that is asked of them.
class FullMemory {
 public:
  FullMemory()
      : device_(value_or_throw(select_devices("cpu")).front()),
        context_(kiln::Context::create({device_})) {
    auto& programs = context_->attachment<ProgramTable>().programs;
    for (int i = 0; i < kPrograms; ++i) {
      keys_.push_back(key_of(bytes_of(i)));
      kiln::Program::Parts parts;
      parts.key = keys_.back();
      programs.insert({keys_.back(), device_->handle()},
                      std::make_unique<kiln::Program>(std::move(parts)));
    }
    std::shuffle(keys_.begin(), keys_.end(), std::mt19937(0));
  }

  /// Looks all programs up, one after another, until `count` is reached. Returns the hits.
  int find(int count) const {
    int hits = 0;
    for (int i = 0, at = 0; i < count; ++i, at = at + 1 == kPrograms ? 0 : at + 1) {
      const Key& key = keys_[static_cast<std::size_t>(at)];
      const kiln::Program* program = resolver_.find(key, *context_, *device_);
      hits += program != nullptr && program->key() == key;
    }
    return hits;
  }

 private:
  DevicePtr device_;
  ContextPtr context_;
  Resolver resolver_{nullptr};
  std::vector<Key> keys_;
};

std::int64_t own_processor_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct Threads {
  double ns = 0;  ///< processor time of one hit, the median of the threads
  std::uint64_t locks = 0;
  bool all_hit = true;
};

/// Processor time, not wall time: so threads in excess of the cores do not count each other's.
Threads find_in_threads(const FullMemory& memory, int count) {
  std::vector<double> times(static_cast<std::size_t>(count));
  std::atomic<bool> all_hit{true};
  std::uint64_t before = 0, after = 0;
  std::barrier begin(count, [&]() noexcept { before = locks_taken(); });
  std::barrier end(count, [&]() noexcept { after = locks_taken(); });
  std::vector<std::jthread> threads;
  for (auto& time : times)
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      const auto start = own_processor_ns();
      if (memory.find(kFinds) != kFinds) all_hit = false;
      time = static_cast<double>(own_processor_ns() - start) / kFinds;
      end.arrive_and_wait();
    });
  threads.clear();
  return {median(times), after - before, all_hit};
}

Outcome hit_time(const Context&) {
  use_own_driver_cache();
  const FullMemory memory;
  std::vector<double> samples;
  for (int batch = 0; batch < kBatches; ++batch) {
    constexpr int finds = 5000;
    const auto start = now_ns();
    if (memory.find(finds) != finds) return not_measured("a program was not found");
    samples.push_back(static_cast<double>(now_ns() - start) / finds);
  }
  return Figure{median(samples),
                fmt::format("{} programs, quartiles {:.1f} to {:.1f} ns", kPrograms,
                            quantile(samples, 0.25), quantile(samples, 0.75))};
}

Outcome hit_time_in_threads(const Context&) {
  use_own_driver_cache();
  const FullMemory memory;
  std::vector<double> one, many;
  for (int round = 0; round < 15; ++round) {
    const auto alone = find_in_threads(memory, 1), together = find_in_threads(memory, kThreads);
    if (!alone.all_hit || !together.all_hit) return not_measured("a program was not found");
    one.push_back(alone.ns);
    many.push_back(together.ns);
  }
  return Figure{median(many),
                fmt::format("processor time of one hit; {:.1f} ns in one thread", median(one))};
}

/// What a hit takes in many threads, against one: 1 where none is in another's way.
Outcome hit_scaling(const Context&) {
  use_own_driver_cache();
  const FullMemory memory;
  Pairs pairs;
  for (int round = 0; round < 15; ++round) {
    const auto alone = find_in_threads(memory, 1), together = find_in_threads(memory, kThreads);
    if (!alone.all_hit || !together.all_hit) return not_measured("a program was not found");
    pairs.first.push_back(together.ns);
    pairs.second.push_back(alone.ns);
  }
  return ratio(pairs, "ns");
}

Outcome locks_of_hits(const Context&) {
  use_own_driver_cache();
  std::mutex mutex;
  const auto before = locks_taken();
  mutex.lock();
  mutex.unlock();
  if (locks_taken() != before + 1) return not_measured("locks cannot be counted here");
  const FullMemory memory;
  const auto threads = find_in_threads(memory, kThreads);
  if (!threads.all_hit) return not_measured("a program was not found");
  return Figure{static_cast<double>(threads.locks),
                fmt::format("in {} hits of {} threads", kThreads * kFinds, kThreads)};
}

Bar bar(std::string name, std::string text, double limit, std::string unit,
        Outcome (*measure)(const Context&)) {
  return {std::move(name), std::move(text), Holds::at_most, limit, std::move(unit), measure};
}

}  // namespace

std::vector<Bar> look_up_bars() {
  return {
      bar("spec/key", "Key of a Request with a source of 10 kB whose digest is known", 2, "us",
          key_time),
      bar("spec/memory-hit", "a program found in the memory layer", 200, "ns", hit_time),
      bar("spec/memory-hit-8-threads", "the same in 8 threads at once", 200, "ns",
          hit_time_in_threads),
      bar("spec/memory-hit-locks", "locks taken by hits in 8 threads", 0, "locks", locks_of_hits)};
}

std::vector<Bar> shared_hit_bars() {
  return {
      bar("store/memory-hit-scales", "a memory-layer hit in 8 threads at once, against one", 1.2,
          "x", hit_scaling),
      bar("store/memory-hit-locks", "locks taken by hits in 8 threads", 0, "locks", locks_of_hits)};
}

}  // namespace kiln::bench
