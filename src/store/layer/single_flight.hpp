#pragma once

#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <utility>

namespace kiln {

/// Of threads that want one thing at the same time, one makes it; the others wait for that and get
/// what it made, or the exception that it threw. Keeps nothing: who comes later makes it again, so
/// that `make` should first look where the one before may have put it. Thread-safe; no lock is held
/// while something is made.
///
/// KeyType is ordered; ValueType is copied to those who wait.
template <class KeyType, class ValueType>
class SingleFlight {
 public:
  template <class Make>
  ValueType run(const KeyType& key, Make&& make) {
    std::promise<ValueType> promise;
    std::shared_future<ValueType> others;
    {
      const std::lock_guard lock(mutex_);
      const auto [entry, is_first] = making_.try_emplace(key);
      if (is_first)
        entry->second = promise.get_future().share();
      else
        others = entry->second;
    }
    if (others.valid()) return others.get();
    const Leaving leaving{*this, key};
    try {
      ValueType made = make();
      promise.set_value(made);
      return made;
    } catch (...) {
      promise.set_exception(std::current_exception());
      throw;
    }
  }

 private:
  struct Leaving {
    SingleFlight& from;
    const KeyType& key;
    ~Leaving() {
      const std::lock_guard lock(from.mutex_);
      from.making_.erase(key);
    }
  };
  std::mutex mutex_;
  std::map<KeyType, std::shared_future<ValueType>> making_;
};

}  // namespace kiln
