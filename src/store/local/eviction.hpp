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

/// A row that is to be removed, if it is still the one that was looked at.
struct Removal {
  Kind kind{};
  Key key;
  std::optional<Digest> blob;
  std::int64_t created = 0;
};

}  // namespace kiln
