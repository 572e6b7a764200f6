#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/digest.hpp"
#include "mesh/plan/columns.hpp"

namespace kiln::mesh {

/// What stands for the values of Maps and subsets in keys of plans: digests of the entries that
/// are indexed and no others, each computed once for (Map, version, components, rows) and then
/// remembered. Thread-safe; bounded: the oldest are forgotten, and computed again when asked for.
class MapDigests {
 public:
  /// strong: BLAKE2b-256, for what may enter a store. quick: XXH3-128, ten times as fast, for
  /// keys that do not leave the process.
  enum class Kind : std::uint8_t { strong, quick };

  explicit MapDigests(std::size_t most = 4096) : most_(most) {}

  /// Of the values of `components` (rising, each once) in the first `rows` rows, row after row.
  Digest of_columns(const MapView& map, const std::vector<std::uint32_t>& components,
                    std::size_t rows, Kind kind);
  /// Of an index list.
  Digest of_list(std::span<const std::int32_t> list, std::uint64_t identity, std::uint64_t version,
                 Kind kind);

  /// Forgets all of a Map or subset that is no more.
  void forget(std::uint64_t identity);

  /// How many were computed so far.
  std::size_t computed() const;

 private:
  struct Name {
    std::uint64_t identity, version;
    std::vector<std::uint32_t> components;
    std::size_t rows;
    Kind kind;
    bool list;
    bool operator==(const Name&) const = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const noexcept;
  };
  template <class Compute>
  Digest remembered(Name name, Compute&& compute);

  mutable std::mutex mutex_;
  std::unordered_map<Name, Digest, NameHash> known_;
  std::deque<Name> by_age_;
  std::size_t most_, computed_ = 0;
};

}  // namespace kiln::mesh
