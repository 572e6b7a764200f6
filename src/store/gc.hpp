#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "store/eviction.hpp"

namespace kiln {

/// What gc is to reach.
struct GcOptions {
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();  ///< of the whole store
  StaleDevices devices;  ///< entries of other drivers and versions of these go first, and always
  /// Nothing is removed: the report says what would be; of `evicted` at least as many as it says,
  /// since small rows free less than they have.
  bool dry_run = false;
};

/// What gc did.
struct GcReport {
  std::uint64_t stale = 0, evicted = 0;             ///< entries
  std::uint64_t damaged = 0;                        ///< rows
  std::uint64_t files = 0, file_bytes = 0;          ///< that no entry referred to
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of the whole store
};

/// A row that is to be removed, if it is still the one that was looked at.
struct Removal {
  Kind kind{};
  Key key;
  std::optional<Digest> blob;
  std::int64_t created = 0;
};

}  // namespace kiln
