#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "kiln/error.hpp"
#include "store/key/canonical.hpp"
#include "store/trust/trust.hpp"

// The interface of every layer of the store: what an entry is, how it is looked up and kept, and
// the right to make it.
namespace kiln {

/// The right to make what a Key stands for, held by one process of this machine at a time: others
/// wait for it, so that fifty processes that start together compile once. It is the lock on a file,
/// which the system drops when its holder dies, however it dies. Only advice: a process that waits
/// longer than its bound goes on without it, and two makers do no harm.
///
/// Released by the destructor, in any thread. Not held over fork(): a child
/// that lives on keeps it, and others wait out their bound.
class Reservation {
 public:
  /// Waits at most `bound`. Where the folder cannot hold locks (absent, read-only, full) or the
  /// bound is over, nothing is held.
  static Reservation acquire(const std::string& store_folder, const Key& key,
                             std::chrono::milliseconds bound);

  /// Removes what makers that died have left behind. Returns how many files that were.
  static std::uint64_t collect(const std::string& store_folder);

  Reservation() = default;
  Reservation(Reservation&& other) noexcept = default;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  bool held() const { return static_cast<bool>(file_); }
  /// Whether another process had it first: then what it made may be in the store by now.
  bool waited() const { return waited_; }

 private:
  FileDescriptor file_;
  std::string path_;
  bool waited_ = false;
};

using Kind = EntryKind;

struct Entry {
  Bytes content;
  Metadata metadata;
};

/// The answer of a layer: an entry, or why there is none.
struct Lookup {
  std::optional<Entry> entry;
  std::string reason;  ///< "no entry", "checksum differs", "key collision", "store unusable: …"
  std::vector<LayerAnswer> trail = {};  ///< of a store of several layers: each that was asked
};

/// One layer of the store. All calls are thread-safe, and safe against other processes. Nothing
/// here throws, aborts or hands out unverified bytes: damage is a miss with a reason.
class Layer {
 public:
  /// What the layers take at most of an entry: bytes of its canonical bytes, of its label and of
  /// its fingerprint.
  static constexpr std::size_t largest_canonical = 1 << 20;
  static constexpr std::size_t largest_text = 4096;

  virtual ~Layer() = default;
  virtual std::string name() const = 0;

  /// Looks up and verifies: the canonical bytes stored with the entry must equal `canonical`,
  /// the content its length and checksum.
  virtual Lookup get(Kind kind, const Key& key, ByteView canonical) = 0;

  /// For people, after a miss: which entry is nearly the one that was asked for, and what differs,
  /// such as a driver's version; "" where nothing is known. Slow: only for explanations.
  virtual std::string near_miss(Kind kind, ByteView canonical);

  /// Inserts or replaces. When it returns, the entry survives the death of this process.
  virtual Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                             const Metadata& metadata) = 0;

  /// Read, change and write back as one step against all other writers: `change` gets the
  /// present entry (or none) and returns the new one, or nothing to leave it as it is. It may
  /// be called more than once (the last call counts), runs while other writers wait, so it should
  /// be quick, and must not use this layer. What it throws comes back as an error.
  using Change = std::function<std::optional<Entry>(const std::optional<Entry>&)>;
  virtual Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                                const Change& change) = 0;

  /// Whether entries can be kept, as far as that can be told before one is there. Errors: why not.
  virtual Expected<void> check_writable() { return {}; }

  /// Writes what was only noted so far, such as uses of entries: an attempt, no more. For processes
  /// that never destroy their layers; the destructor does it in others.
  virtual void settle() {}

  /// Closes all that is open, until the next call. For processes whose descriptors are another's:
  /// an application may close each that it does not know, and have its own under that number.
  virtual void rest() {}

  /// The right to make what a Key stands for; nothing is held where a layer has no such thing.
  virtual Reservation reserve(const Key& key, std::chrono::milliseconds bound);
};

/// Where the local store lives, and why: KILN_STORE (a folder, or "off"), else
/// $XDG_CACHE_HOME/kiln, else $HOME/.cache/kiln, else off. Relative XDG and HOME values are
/// ignored, as the XDG specification asks.
struct StoreLocation {
  std::string folder;  ///< empty: off
  std::string origin;  ///< "KILN_STORE", "XDG_CACHE_HOME", "HOME", "no home folder"
};
StoreLocation default_store_location();

/// Opens the local store in a folder. Cheap: nothing is read before the first use, and nothing is
/// made before the first put() or update() (then the folder, with its parents, mode 0700). A folder
/// that cannot be used gives a layer that always misses and says why; a damaged database is set
/// aside (renamed) and begun anew, once. The layer's file descriptors are closed before a fork().
/// local/local_store.hpp has the same store with what the command needs: lists, counts, removal.
std::unique_ptr<Layer> open_local_store(const std::string& folder);

/// For implementations of Layer: the result of a call, as an Expected where it is of another type.
/// What the call throws comes out as an error, since nothing of a Layer may throw: an Error as it
/// is, anything else (no memory, mostly) as internal.
template <class Call, class Result = std::invoke_result_t<const Call&>>
auto guarded(const Call& call) {
  using Answer = std::conditional_t<std::is_convertible_v<tl::unexpected<Error>, Result>, Result,
                                    Expected<Result>>;
  try {
    if constexpr (!std::is_void_v<Result>)
      return Answer(call());
    else
      call();
    return Answer();
  } catch (const Error& error) {
    return Answer(tl::unexpected(error));
  } catch (const std::exception& problem) {
    return Answer(fail(Errc::internal, std::string("store: ") + problem.what()));
  }
}

}  // namespace kiln
