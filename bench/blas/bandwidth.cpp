#include "blas/bandwidth.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace kiln::bench {
namespace {

// A cache line of words, which the compiler keeps in vector registers.
using Line = std::uint64_t __attribute__((vector_size(64)));

/// The sum of all lines: eight at a time, so that no addition waits for another.
std::uint64_t sum_of(const Line* lines, std::size_t count) {
  Line sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8)
    for (std::size_t j = 0; j < 8; ++j) sums[j] += lines[i + j];
  Line all{};
  for (const auto& sum : sums) all += sum;
  std::uint64_t result = 0;
  for (int j = 0; j < 8; ++j) result += all[j];
  return result;
}

unsigned usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? static_cast<unsigned>(CPU_COUNT(&cores))
                                                         : 1;
}

}  // namespace

struct Bandwidth::Team {
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  using Block = std::unique_ptr<void, Free>;

  static Block block_of(std::size_t bytes) {
    Block block(std::aligned_alloc(4096, bytes));
    if (!block) throw std::bad_alloc();
    std::memset(block.get(), 1, bytes);  // so that its pages are there, and its own
    return block;
  }

  Team(Kind what, std::size_t bytes)
      : kind(what),
        part(bytes / usable_cores() / 4096 * 4096),
        start(usable_cores() + 1),
        end(usable_cores() + 1) {
    const unsigned count = usable_cores();
    from = block_of(part * count);
    if (kind == Kind::copy) to = block_of(part * count);
    for (unsigned i = 0; i < count; ++i) threads.emplace_back([this, i] { work(i); });
  }
  ~Team() {
    over = true;
    start.arrive_and_wait();
    for (auto& thread : threads) thread.join();
  }
  void work(unsigned index) {
    auto* const source = static_cast<std::byte*>(from.get()) + part * index;
    for (;;) {
      start.arrive_and_wait();
      if (over) return;
      if (kind == Kind::copy)
        // Large enough for non-temporal stores.
        std::memcpy(static_cast<std::byte*>(to.get()) + part * index, source, part);
      else
        seen += sum_of(reinterpret_cast<const Line*>(source), part / sizeof(Line));
      end.arrive_and_wait();
    }
  }

  Kind kind;
  std::size_t part;
  Block from, to;
  std::barrier<> start, end;
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> seen = 0;
  std::vector<std::thread> threads;
};

Bandwidth::Bandwidth(Kind kind, std::size_t bytes) : team_(std::make_unique<Team>(kind, bytes)) {}
Bandwidth::~Bandwidth() = default;

double Bandwidth::traffic() const {
  return static_cast<double>(team_->part * team_->threads.size()) *
         (team_->kind == Kind::copy ? 2 : 1);
}

double Bandwidth::run() {
  const auto begun = now_ns();
  team_->start.arrive_and_wait();
  team_->end.arrive_and_wait();
  return static_cast<double>(now_ns() - begun) * 1e-6;
}

std::size_t largest_cache() {
  long most = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
    most = std::max(most, ::sysconf(level));
  return most > 0 ? static_cast<std::size_t>(most) : 0;
}

}  // namespace kiln::bench
