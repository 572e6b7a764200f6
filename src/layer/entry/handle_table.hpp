#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace kiln::layer {

/// Handles of the driver and what is known of them. find() takes no lock and costs a few
/// nanoseconds; changes take one. Constant-initialised and never destroyed: programs call OpenCL
/// before and after everything else.
///
/// A handle that is released may be given out again by the driver at once, to another thread. So
/// erase() comes before the driver's release, and what is found belongs to a handle as long as its
/// user holds it.
class HandleTable {
 public:
  void* find(const void* handle) const noexcept {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || handle == nullptr) return nullptr;
    for (std::size_t at = place_of(handle, slots->mask);; at = (at + 1) & slots->mask) {
      const void* key = slots->slot[at].key.load(std::memory_order_acquire);
      if (key == handle) return slots->slot[at].value.load(std::memory_order_acquire);
      if (key == nullptr) return nullptr;
    }
  }

  /// Adds it, or replaces what is known. False where there is no memory.
  bool insert(const void* handle, void* value) noexcept {
    if (handle == nullptr) return false;
    ::pthread_mutex_lock(&mutex_);
    const bool done = make_room() && put(*slots_.load(std::memory_order_relaxed), handle, value);
    ::pthread_mutex_unlock(&mutex_);
    return done;
  }

  /// Adds it unless something is known. What is known then; null where there is no memory.
  void* insert_if_absent(const void* handle, void* value) noexcept {
    ::pthread_mutex_lock(&mutex_);
    void* known = find(handle);
    if (known == nullptr && handle != nullptr && make_room() &&
        put(*slots_.load(std::memory_order_relaxed), handle, value))
      known = value;
    ::pthread_mutex_unlock(&mutex_);
    return known;
  }

  void erase(const void* handle) noexcept {
    ::pthread_mutex_lock(&mutex_);
    if (Slots* slots = slots_.load(std::memory_order_relaxed)) {
      for (std::size_t at = place_of(handle, slots->mask);; at = (at + 1) & slots->mask) {
        const void* key = slots->slot[at].key.load(std::memory_order_relaxed);
        if (key == nullptr) break;
        if (key != handle) continue;
        slots->slot[at].key.store(gone(), std::memory_order_release);
        --used_;
        clear_behind(*slots, at);
        break;
      }
    }
    ::pthread_mutex_unlock(&mutex_);
  }

  /// In a child of fork(), whose parent may have held it.
  void reset_lock() noexcept { mutex_ = PTHREAD_MUTEX_INITIALIZER; }

 private:
  struct Slot {
    std::atomic<const void*> key{nullptr};
    std::atomic<void*> value{nullptr};
  };
  struct Slots {
    std::size_t mask = 0;
    std::size_t taken = 0;   ///< by handles that are there, and by those that are gone
    Slots* older = nullptr;  ///< readers may still be in it, so it stays
    Slot* slot = nullptr;
  };
  static const void* gone() noexcept { return reinterpret_cast<const void*>(1); }
  static std::size_t place_of(const void* handle, std::size_t mask) noexcept {
    const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
    return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> 32) & mask;
  }

  // Under the mutex.

  /// Where nothing follows, marks of what is gone keep no reader on its way.
  static void clear_behind(Slots& slots, std::size_t at) noexcept {
    const auto key_at = [&](std::size_t place) -> std::atomic<const void*>& {
      return slots.slot[place & slots.mask].key;
    };
    if (key_at(at + 1).load(std::memory_order_relaxed) != nullptr) return;
    for (; key_at(at).load(std::memory_order_relaxed) == gone(); --at, --slots.taken)
      key_at(at).store(nullptr, std::memory_order_release);
  }

  bool put(Slots& slots, const void* handle, void* value) noexcept {
    Slot* free = nullptr;
    for (std::size_t at = place_of(handle, slots.mask);; at = (at + 1) & slots.mask) {
      Slot& slot = slots.slot[at];
      const void* key = slot.key.load(std::memory_order_relaxed);
      if (key == handle) {
        slot.value.store(value, std::memory_order_release);
        return true;
      }
      if (key == gone() && free == nullptr) free = &slot;
      if (key != nullptr) continue;
      if (free == nullptr) {
        free = &slot;
        ++slots.taken;
      }
      free->value.store(value, std::memory_order_relaxed);
      free->key.store(handle, std::memory_order_release);
      ++used_;
      return true;
    }
  }

  /// A table that is two thirds full is left for another one.
  bool make_room() noexcept {
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (slots != nullptr && slots->taken * 3 < slots->mask * 2) return true;
    std::size_t size = 64;
    while (size < used_ * 3) size *= 2;
    void* memory = std::calloc(1, sizeof(Slots) + size * sizeof(Slot));
    if (memory == nullptr) return false;
    auto* larger = new (memory) Slots;
    larger->slot = new (larger + 1) Slot[size];
    larger->mask = size - 1;
    larger->older = slots;
    used_ = 0;
    for (std::size_t at = 0; slots != nullptr && at <= slots->mask; ++at) {
      const void* key = slots->slot[at].key.load(std::memory_order_relaxed);
      if (key != nullptr && key != gone())
        put(*larger, key, slots->slot[at].value.load(std::memory_order_relaxed));
    }
    slots_.store(larger, std::memory_order_release);
    return true;
  }

  std::atomic<Slots*> slots_{nullptr};
  std::size_t used_ = 0;  ///< handles that are there; under the mutex
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace kiln::layer
