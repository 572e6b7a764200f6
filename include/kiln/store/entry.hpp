#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/store/trust.hpp"

/// Entries of the store of programs, plans and records, and what is told of them: plain data.
namespace kiln {

/// The identity of a Request, a Plan or a record: the BLAKE2b-256 of its canonical bytes.
struct Key {
  Digest digest;
  std::string hex() const { return digest.hex(); }
  auto operator<=>(const Key&) const = default;
};

/// What an entry of the store is; part of its place, so that kinds never mix.
enum class EntryKind : std::uint8_t {
  artifact = 1,  ///< bytes that start a program
  plan = 2,      ///< arrays that a launch needs: large, 64-byte aligned parts
  record = 3,    ///< small facts that change: tuned Parameters, split models, proofs
};

/// "artifact", "plan" or "record".
KILN_API const char* name_of(EntryKind kind) noexcept;
KILN_API std::optional<EntryKind> kind_named(std::string_view name);

/// What is kept along with the content of an entry. Plain text; never a path or a user's name.
struct Metadata {
  std::uint32_t schema = 1;  ///< version of the content's own layout
  std::string label;         ///< for people: "VectorAdd on PoCL …"; at most Layer::largest_text
  std::string fingerprint;   ///< of the device, empty where no device matters; as long at most
  double cost_seconds = 0;   ///< what making the content took: what a hit saves

  // What the maker may tell besides. The store keeps at most longest_detail bytes of each text (a
  // longer one is cut, which its end says), and no folders: "/home/me/blur.cl:3" is kept as
  // "blur.cl:3".
  std::optional<Digest> source = {};  ///< BLAKE2b-256 of the source text
  std::string options = {};           ///< of the compiler
  std::string build_log = {};         ///< what the compiler said

  // Of an entry that came in a pack or from the shared store: so, and whose it is.
  bool made_elsewhere = false;
  std::optional<Signature> signature = {};  ///< over the entry's head (docs/formats/pack.md)

  static constexpr std::size_t longest_detail = 16 << 10;
  bool operator==(const Metadata&) const = default;
};

/// An entry as lists show it.
struct EntryInfo {
  EntryKind kind{};
  Key key;
  Metadata metadata;
  std::uint64_t size = 0;    ///< bytes of content
  std::int64_t created = 0;  ///< seconds since 1970, UTC
  bool in_file = false;      ///< kept in a file of its own, not in the database
  std::uint64_t canonical_size = 0;
  std::uint64_t hits = 0;      ///< as far as it was noted: a killed process notes nothing
  std::int64_t last_used = 0;  ///< seconds since 1970, UTC; 0: never
};

/// Which entries: those that fit all that is given.
struct EntryFilter {
  std::optional<EntryKind> kind = {};
  /// Parts of fingerprints (platform, name, driver version): any of them. None: all devices.
  std::vector<std::string> devices = {};
  std::vector<std::string> keys = {};  ///< first letters of keys, at least four of each
};

/// What one layer of the store said, and when it was asked (of the host's steady clock).
struct LayerAnswer {
  std::string layer;
  bool answered = false;
  std::string reason;  ///< why not; of Store::explain(), for a hit its size
  std::int64_t start_ns = 0, end_ns = 0;
};

/// What is known of an entry's way into the store.
struct StoreExplanation {
  EntryInfo entry;
  std::vector<LayerAnswer> layers;  ///< each asked by itself, those below one that has it, too
  /// The entry of the same kind that differs in the fewest facts: what changed, and so why this one
  /// was made.
  struct Relative {
    Key key;
    std::string label, difference;
  };
  std::optional<Relative> nearest;
};

/// What a store holds.
struct StoreStatistics {
  struct PerKind {
    std::uint64_t entries = 0, bytes = 0;
  };
  PerKind artifacts, plans, records;
  std::uint64_t bytes = 0;         ///< of all: the database's in use, and the entries' files
  std::uint64_t limit = 0;         ///< how large it may become; 0: without end
  std::uint64_t damaged_rows = 0;  ///< in the database, but failing their checks
  std::uint64_t files = 0;         ///< below blobs/, also those that no entry refers to
  std::uint64_t file_bytes = 0;
  std::uint64_t database_bytes = 0;
  std::uint64_t set_aside = 0;  ///< damaged databases kept next to the present one
};

/// One thing that is wrong in a store.
struct StoreFault {
  EntryKind kind{};
  Key key;
  std::optional<Digest> file;  ///< in place of the key: one whose content is not what it should be
  std::string label;
  std::string reason;
};

/// What reading all of a store has shown.
struct StoreCheck {
  std::uint64_t entries = 0, bytes = 0;  ///< that were read
  std::vector<StoreFault> faults;        ///< but for damaged rows
  std::uint64_t damaged_rows = 0;        ///< whose own checksum differs: counted, not named
  std::uint64_t unused_files = 0;  ///< no fault: a killed writer leaves some, gc() removes them
  bool is_repaired = false;        ///< what is not whole was removed
  std::uint64_t fault_count() const { return faults.size() + damaged_rows; }
};

/// What gc() is to reach.
struct GcOptions {
  /// How large the whole store may be afterwards; nothing: its limit.
  std::optional<std::uint64_t> max_bytes = {};
  /// Nothing is removed: the report says what would be; of `evicted` at least as many as it says,
  /// since small rows free less than they have.
  bool dry_run = false;
};

/// What gc() did.
struct GcReport {
  /// Entries: of devices whose driver is another one now, and those that save the least.
  std::uint64_t stale = 0, evicted = 0;
  std::uint64_t damaged = 0;                        ///< rows
  std::uint64_t files = 0, file_bytes = 0;          ///< that no entry referred to
  std::uint64_t bytes_before = 0, bytes_after = 0;  ///< of the whole store
  bool dry_run = false;
};

}  // namespace kiln
