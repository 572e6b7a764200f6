#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/local/database.hpp"

// What goes from a store that is too large: which entries, and in what order.
namespace kiln {

/// What removing an entry would give back: its row, and its content, though others may share it.
std::uint64_t footprint(const EntryInfo& entry);

/// How much an entry is worth keeping: the seconds that its uses are expected to save, a byte. The
/// least useful go first. What was not used for two weeks counts half, for four a quarter. Records
/// count ten seconds at least: they are what tuning found out, and small.
double usefulness(const EntryInfo& entry, std::int64_t now);

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

/// What is remembered of a row that may be removed, if it is still the one that was looked at: a
/// row that was replaced since has another time of making.
struct RemovalCandidate {
  RemovalCandidate(const RowHead& row, std::int64_t now, const StaleDevices& devices);

  Kind kind;
  Key key;
  std::optional<Digest> blob;
  std::int64_t created;
  std::uint64_t bytes;
  double usefulness;
  bool stale;
};
/// The order of removal: stale ones first, then the least useful.
void sort_for_removal(std::vector<RemovalCandidate>& candidates);

}  // namespace kiln
