#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "kiln/store/entry.hpp"
#include "kiln/store/pack.hpp"

/// The store of programs, plans and records of a machine: what is in it, its upkeep, and its way to
/// other machines. docs/store.md explains it.
namespace kiln {

class Runtime;

/// How large a local store may become by default: bytes.
inline constexpr std::uint64_t default_store_limit = 5'000'000'000;

/// Which layers a store has, and where they are.
struct StoreSettings {
  std::string local;                          ///< a folder; empty: nothing is kept on this machine
  std::string system;                         ///< a folder that a package ships; empty: none
  std::string shared;                         ///< a URL (docs/shared-store.md); empty: none
  std::uint64_t limit = default_store_limit;  ///< bytes of the local one; 0: none
  /// What the shared store may add to a call, at most.
  std::chrono::milliseconds shared_timeout{50};
};

/// What the environment says: KILN_STORE and the user's cache folder, KILN_SYSTEM_STORE (a folder
/// or off; else /usr/share/kiln/store where it is there), KILN_SHARED_STORE (a URL or off),
/// KILN_STORE_SIZE (bytes, such as 2G), KILN_SHARED_TIMEOUT (milliseconds); a number that cannot be
/// read is left out with a line in the log.
KILN_API StoreSettings default_store_settings();

/// What became of an entry that was to go to the shared store, or to come from there.
struct Transfer {
  enum class State : std::uint8_t {
    done,
    present,    ///< it is there already, and stays
    refused,    ///< not accepted here: untrusted or damaged. That is no failure
    failed,     ///< the reason says why
    not_tried,  ///< the server is out of reach, as another entry's failure has said
  };
  State state{};
  EntryKind kind{};
  Key key;
  std::uint64_t bytes = 0;  ///< of content, where it is done
  std::string reason = {};
};

/// What a push or a pull came to, in entries.
struct TransferSummary {
  std::string where;  ///< the server, without a password
  std::uint64_t done = 0, bytes = 0, present = 0, refused = 0;
  std::uint64_t failed = 0;  ///< those that were not tried included
  std::uint64_t not_tried = 0;
};

struct TransferOptions {
  EntryFilter filter = {};
  /// Told of each entry when it is known, and how many there are in all.
  std::function<void(const Transfer&, std::size_t entries)> report = {};
  /// Called before each entry. May throw, which ends the transfer.
  std::function<void()> check = {};
};

/// A package of Debian that brings a system store.
struct SystemPackage {
  std::string name = "kiln-system-store";
  std::string version = {};  ///< empty: that of Kiln with the time, so that a later one is newer
  std::string maintainer = "Kiln users <root@localhost>";
};

/// What such a package has become.
struct ExportedSystemStore {
  std::string name, version, architecture;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;                      ///< of the package
  std::vector<ExportedPack::LeftOut> left_out;  ///< damaged, or not to be used by this machine
};

/// The local store of a machine. Cheap to copy; a copy is the same store. Thread-safe, and others
/// may use the store meanwhile. Opening it reads nothing: calls throw Error (io, refused) where the
/// folder cannot be used, and bad_input for an EntryFilter whose keys are none. Looking counts as
/// no use of an entry.
class KILN_API Store {
 public:
  /// The store in a folder, within the limit that the environment names.
  static Store open(const std::filesystem::path& folder);
  /// Throws Error: bad_input where there is no local store.
  static Store open(const StoreSettings& settings);

  const std::string& folder() const;

  /// All sound entries that fit, by kind and key.
  std::vector<EntryInfo> entries(const EntryFilter& filter = {}) const;
  /// The one whose key begins with these letters, at least four. Throws Error: not_found, and
  /// bad_input where several do, which it names.
  EntryInfo entry(std::string_view key, std::optional<EntryKind> kind = {}) const;
  /// The content, checked. Throws Error: corrupt.
  Bytes content(const EntryInfo& entry) const;
  /// Every fact that the key is made of, a line each: two runs share an entry if and only if these
  /// are equal.
  std::string facts(const EntryInfo& entry) const;
  /// The facts in which two differ, "- " of the first and "+ " of the second; empty for equal ones.
  std::string difference(const EntryInfo& first, const EntryInfo& second) const;
  /// What each layer says to an entry, and its nearest relative.
  StoreExplanation explain(const EntryInfo& entry) const;

  StoreStatistics statistics() const;

  /// Reads every entry and checks what a hit checks, and that keys and file names are the digests
  /// of what they name.
  StoreCheck verify() const;
  /// The same, and removes what is not whole: it is made anew when it is needed.
  StoreCheck repair() const;
  /// Removes the entries of devices whose driver has changed, damaged rows and unused files; then,
  /// of a store that is too large, what saves the least time a byte. Loads the OpenCL drivers.
  GcReport gc(const GcOptions& options = {}) const;
  /// False where it is gone already.
  bool remove(const EntryInfo& entry) const;
  /// Removes all that fit, and what nothing refers to then. Returns how many entries that were.
  std::uint64_t clear(const EntryFilter& filter = {}) const;

  /// Those that fit as a pack. Each keeps its signature, unless there is a `key`: then all are
  /// signed with that. Throws Error: bad_input where the pack would be too large.
  ExportedPack export_pack(const EntryFilter& filter = {}, const SigningKey* key = nullptr) const;
  /// Writes those that fit as a package of Debian (.deb), which installs them as the system store
  /// of a machine (/usr/share/kiln/store), and with them, whatever the filter's `devices`, those
  /// that name no device and so are of use on all. It replaces `file`, whole or not at all. Entries
  /// that are damaged, or that this machine may not use itself, are not in it: `left_out` names
  /// them. Signatures are as in a pack; unsigned entries are trusted as what root installs. Starts
  /// dpkg and dpkg-deb. Throws Error: bad_input for a name, version or maintainer that no package
  /// may have (Debian Policy 5.6.1, 5.6.2, 5.6.12), for the name of one of Kiln's own packages, and
  /// where the entries are too many for a pack; not_found where no entry fits; unsupported where
  /// dpkg is not installed; io; and what the store fails with.
  ExportedSystemStore export_system(const std::filesystem::path& file,
                                    const EntryFilter& filter = {},
                                    const SystemPackage& package = {},
                                    const SigningKey* key = nullptr) const;
  /// Takes entries that default_trust() trusts, as made elsewhere. What was made on this machine is
  /// never replaced, nor signed entries by unsigned ones. `report` is told of each.
  void import_pack(const std::vector<PackEntry>& pack, ImportMode mode = ImportMode::write,
                   const ImportReport& report = {}) const;

  /// Sends entries to the shared store, in place of what is there. What was made here is signed, if
  /// there is a signing key. Throws Error: bad_input where the settings name no shared store.
  TransferSummary push(const TransferOptions& options = {}) const;
  /// Brings the shared store's entries that this one lacks, as far as they are trusted. The
  /// filter's `devices` do not count. Throws as push(), and what listing them fails with.
  TransferSummary pull(const TransferOptions& options = {}) const;

 private:
  friend class Runtime;
  struct State;
  explicit Store(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& state() const;
  std::shared_ptr<State> state_;
};

}  // namespace kiln
