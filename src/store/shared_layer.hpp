#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "store/layer.hpp"
#include "store/trust.hpp"

namespace kiln {

/// The fleet's store. As a Layer it never delays a caller for longer than its bound: get() answers
/// by then, with a miss if need be, and put() leaves the sending to a thread. The other calls do
/// the same at once and say what went wrong, for people who copy entries to and fro.
class SharedLayer : public Layer {
 public:
  struct Place {
    Kind kind{};
    Key key;
    auto operator<=>(const Place&) const = default;
  };
  struct Page {
    std::vector<Place> places;  ///< in no order, and perhaps more than once
    std::string cursor;         ///< for the next page; empty: this was the last
  };
  struct Found {
    Bytes canonical;
    Entry entry;
  };

  /// Where it is, for people; without a password.
  virtual std::string where() const = 0;
  /// Sends an entry and waits until the server has it.
  virtual Expected<void> send(Kind kind, const Key& key, ByteView canonical, ByteView content,
                              const Metadata& metadata) = 0;
  /// A part of what is there; begins with an empty cursor.
  virtual Expected<Page> list(const std::string& cursor) = 0;
  /// Whatever is at that place, verified and trusted. Errors: not_found; corrupt; refused where it
  /// is not trusted or the server says no; io and timeout where the server cannot be reached.
  virtual Expected<Found> fetch(Kind kind, const Key& key) = 0;
};

/// Every place that a shared store lists, each once. `between` is called before each page, and may
/// throw to stop. Errors: as list(); corrupt where the list comes to no end: a cursor leads to
/// itself, or there are more than 100,000 pages or a million places.
Expected<std::vector<SharedLayer::Place>> list_all(SharedLayer& shared,
                                                   const std::function<void()>& between);

struct SharedOptions {
  std::chrono::milliseconds timeout{50};  ///< the bound of each call
  Trust trust = {};
  std::optional<SigningKey> signer = {};  ///< signs what was made here
  /// At which level it is logged that the server fails; lower for callers who show every error.
  LogLevel failures = LogLevel::warning;
};

/// The largest entry that goes to the shared store, in bytes as it travels.
inline constexpr std::size_t largest_shared = 64 << 20;

/// Opens the store at a URL (store/shared_url.hpp); cheap, connects at the first use. Errors:
/// bad_input for a URL that is none, unsupported in a build without Redis.
Expected<std::unique_ptr<SharedLayer>> open_shared_store(const std::string& url,
                                                         SharedOptions options);

}  // namespace kiln
