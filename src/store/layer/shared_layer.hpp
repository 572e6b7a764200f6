#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "kiln/error.hpp"
#include "store/layer/layer.hpp"
#include "store/trust/trust.hpp"

// The fleet's store: its URL, and what it can do besides being a layer.
namespace kiln {

/// Where it is:
///     redis://[[user]:password@]host[:port][/db]     host may be an IPv6 address in brackets
///     unix://[[user]:password@]/path[?db=N]
/// In user, password and path %XX stands for a byte.
struct SharedUrl {
  std::string host;    ///< a name or an address; empty: a socket of this machine
  std::string socket;  ///< its path
  std::uint16_t port = 6379;
  std::string user, password;
  int database = 0;

  /// For messages: without user and password.
  std::string shown() const;
};

/// Errors: bad_input, one line that says at which byte what was expected. It repeats nothing of the
/// text, because any part of a mistyped URL may be the password.
Expected<SharedUrl> parse_shared_url(std::string_view text);

/// The text as it may be shown to people: without its password, "off" and "" as they are.
std::string shown_shared_url(std::string_view text);

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

}  // namespace kiln
