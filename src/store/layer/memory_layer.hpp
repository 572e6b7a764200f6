#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kiln {

/// A hash table whose look-up takes no lock and allocates nothing: the memory layer.
///
/// find() may run in any number of threads during insert(), which takes a mutex. Entries are
/// immutable; a replaced entry, and a table that was outgrown, stay alive until the layer goes, so
/// a pointer from find() is valid as long as the layer is. (The price: a value that is replaced in
/// a loop takes memory each time. Such values belong in one entry with its own atomics.)
///
/// version() grows with every change. A caller may remember a result and re-check it with one load,
/// provided that he read version() *before* find(): then a change between the two costs him a
/// second look-up, never a stale answer.
///
/// Hash: KeyType → size_t, well mixed (Keys are digests). KeyType is comparable with ==. A view of
/// a key may be looked up too, where Hash takes it and gives the same number.
template <class KeyType, class ValueType, class Hash>
class MemoryLayer {
 public:
  MemoryLayer() : table_(make_table(64)) {}
  MemoryLayer(const MemoryLayer&) = delete;
  MemoryLayer& operator=(const MemoryLayer&) = delete;

  /// The value of a key, or nullptr.
  template <class View = KeyType>
  const ValueType* find(const View& key) const noexcept {
    const std::size_t hash = Hash{}(key);
    const Table* table = table_.load(std::memory_order_acquire);
    for (std::size_t slot = hash & table->mask;; slot = (slot + 1) & table->mask) {
      const Node* node = table->slots[slot].load(std::memory_order_acquire);
      if (node == nullptr) return nullptr;
      if (node->hash == hash && node->key == key) return &node->value;
    }
  }

  /// The value that is now found: the given one, or with `keep_first` the one already there.
  enum class OnExisting { keep_first, replace };
  const ValueType& insert(const KeyType& key, ValueType value,
                          OnExisting rule = OnExisting::keep_first) {
    const std::lock_guard lock(mutex_);
    Table* table = table_.load(std::memory_order_relaxed);
    if ((count_ + 1) * 2 > table->mask + 1) table = grow(*table);
    const std::size_t hash = Hash{}(key);
    std::size_t slot = hash & table->mask;
    bool known = false;
    for (;; slot = (slot + 1) & table->mask) {
      const Node* node = table->slots[slot].load(std::memory_order_relaxed);
      if (node == nullptr) break;
      if (node->hash == hash && node->key == key) {
        if (rule == OnExisting::keep_first) return node->value;
        known = true;
        break;
      }
    }
    nodes_.push_back(std::make_unique<Node>(Node{hash, key, std::move(value)}));
    // From here on nothing throws: the count can never fall behind the slots in use, which is
    // what lets find() rely on an empty slot.
    table->slots[slot].store(nodes_.back().get(), std::memory_order_release);
    if (!known) ++count_;
    version_.fetch_add(1, std::memory_order_release);
    return nodes_.back()->value;
  }

  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  struct Node {
    std::size_t hash;
    KeyType key;
    ValueType value;
  };
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), slots(size) {}
    std::size_t mask;
    std::vector<std::atomic<Node*>> slots;
  };

  Table* make_table(std::size_t size) {
    tables_.push_back(std::make_unique<Table>(size));
    return tables_.back().get();
  }

  Table* grow(const Table& old) {
    Table* table = make_table((old.mask + 1) * 2);
    for (const auto& slot : old.slots) {
      Node* node = slot.load(std::memory_order_relaxed);
      if (node == nullptr) continue;
      std::size_t place = node->hash & table->mask;
      while (table->slots[place].load(std::memory_order_relaxed) != nullptr)
        place = (place + 1) & table->mask;
      table->slots[place].store(node, std::memory_order_relaxed);
    }
    table_.store(table, std::memory_order_release);
    return table;
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::atomic<Table*> table_;
  std::size_t count_ = 0;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace kiln
