#include "store/use_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <tuple>

namespace kiln {
namespace {

constexpr std::size_t many = 256;
constexpr std::int64_t a_while = 60;

}  // namespace

void UseLog::forget_the_parents() {
  if (process_ == ::getpid()) return;
  for (auto& counters : counters_) counters.clear();
  size_ = 0;
  process_ = ::getpid();
}

void UseLog::note(Kind kind, const Key& key, std::int64_t now) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    forget_the_parents();
    if (size_ == 0) since_ = now;
    auto& counters = counters_[static_cast<std::size_t>(kind) % kinds];
    auto found = counters.find(key);
    if (found == counters.end()) {
      if (size_ == most) return;
      found = counters.emplace(key, Counter{}).first;
      ++size_;
    }
    ++found->second.hits;
    found->second.last_used = std::max(found->second.last_used, now);
  } catch (...) {
    // No memory for a statistic: it is one hit short.
  }
}

bool UseLog::due(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  return size_ >= many || (size_ > 0 && now - since_ >= a_while);
}

std::vector<Use> UseLog::take() {
  const std::lock_guard lock(mutex_);
  forget_the_parents();
  std::vector<Use> uses;
  uses.reserve(size_);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    for (const auto& [key, counter] : counters_[kind])
      uses.push_back({static_cast<Kind>(kind), key, counter.hits, counter.last_used});
  for (auto& counters : counters_) counters.clear();
  size_ = 0;
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.kind, a.key) < std::tie(b.kind, b.key);
  });
  return uses;
}

}  // namespace kiln
