#include "store/layer/fork_guard.hpp"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/lifetime.hpp"

namespace kiln {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<ForkGuarded*> all;
};

// A fork() may come while the process ends.
Registry& registry() {
  static NeverDestroyed<Registry> one;
  return *one;
}

void before() {
  registry().mutex.lock();
  for (auto* guarded : registry().all) guarded->before_fork();
}

void after() {
  auto& all = registry().all;
  std::for_each(all.rbegin(), all.rend(), [](auto* guarded) { guarded->after_fork(); });
  registry().mutex.unlock();
}

}  // namespace

void ForkGuarded::watch() {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(before, after, after); });
  const std::lock_guard lock(registry().mutex);
  registry().all.push_back(this);
}

void ForkGuarded::unwatch() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().all, this);
}

}  // namespace kiln
