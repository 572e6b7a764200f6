#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "store/local/database.hpp"

// What goes from a store that is too large: which entries, in what order, and what is told of it.
namespace kiln {

/// What removing an entry would give back: its row, and its content, though others may share it.
std::uint64_t footprint(const ListedRow& row);

/// How much an entry is worth keeping: the seconds that its uses are expected to save, a byte. The
/// least useful go first. What was not used for two weeks counts half, for four a quarter. Records
/// count ten seconds at least: they are what tuning found out, and small.
double usefulness(const ListedRow& row, std::int64_t now);

/// Tells entries that can never be used again from those that can.
class StaleDevices {
 public:
  StaleDevices() = default;  ///< nothing is stale
  /// The devices of this machine, by their fingerprints as they are now.
  explicit StaleDevices(std::vector<std::string> fingerprints);

  /// True where a device of the same platform and name is here, but with another driver or version.
  /// An entry of a device that is not here is not stale: it may be plugged in again.
  bool stale(const std::string& fingerprint) const;

 private:
  std::vector<std::string> present_;
};

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
