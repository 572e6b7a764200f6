#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

namespace kiln {

/// A hash table of at most `most` entries: those that were added first go first. A look-up
/// allocates nothing, and takes whatever Hash and Equal take in place of a KeyType. For one thread
/// at a time.
template <class KeyType, class ValueType, class Hash, class Equal>
class BoundedTable {
 public:
  explicit BoundedTable(std::size_t most) : most_(most) {}

  /// The value of a key, until it goes; or nullptr.
  template <class View>
  ValueType* find(const View& key) {
    const auto [begin, end] = by_hash_.equal_range(Hash{}(key));
    for (auto place = begin; place != end; ++place)
      if (Equal{}(place->second->first, key)) return &place->second->second;
    return nullptr;
  }

  /// Adds an entry whose key is not there.
  void add(KeyType key, ValueType value) {
    by_age_.emplace_back(std::move(key), std::move(value));
    by_hash_.emplace(Hash{}(by_age_.back().first), std::prev(by_age_.end()));
    if (by_age_.size() > most_) erase(by_age_.begin());
  }

  /// Those of which `is_gone`, called with a key, is true go.
  template <class Predicate>
  void erase_if(Predicate&& is_gone) {
    for (auto entry = by_age_.begin(); entry != by_age_.end();)
      entry = is_gone(entry->first) ? erase(entry) : std::next(entry);
  }

  std::size_t size() const { return by_age_.size(); }

 private:
  using Entries = std::list<std::pair<KeyType, ValueType>>;
  typename Entries::iterator erase(typename Entries::iterator entry) {
    auto place = by_hash_.equal_range(Hash{}(entry->first)).first;
    while (place->second != entry) ++place;
    by_hash_.erase(place);
    return by_age_.erase(entry);
  }
  std::size_t most_;
  Entries by_age_;
  std::unordered_multimap<std::size_t, typename Entries::iterator> by_hash_;
};

}  // namespace kiln
