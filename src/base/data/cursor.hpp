#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/data/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Appends bytes behind their 32-bit length: what Cursor::block reads.
void append_block(Bytes& to, ByteView bytes);
inline void append_block(Bytes& to, std::string_view text) { append_block(to, as_bytes(text)); }

/// Reads little-endian fields off a byte span, never past its end, and remembers the first thing
/// that was wrong. A parser can so read straight on and ask once: after a failure every read gives
/// zero or nothing and nothing is left, so that loops over what is left end. Not thread-safe.
class Cursor {
 public:
  /// `what` names the whole in errors ("program archive") and outlives the cursor.
  Cursor(ByteView bytes, std::string_view what, Errc code = Errc::corrupt)
      : bytes_(bytes), end_(bytes.size()), what_(what), code_(code) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return end_ - at_; }
  bool ok() const { return !error_; }
  /// The first failure; there must be one.
  const Error& error() const { return *error_; }

  /// The next integer.
  template <class T>
  T number(std::string_view field) {
    const ByteView bytes = take(sizeof(T), field);
    return bytes.empty() ? T{0} : load_le<T>(bytes.data());
  }
  /// The next value of a type that is a row of bytes, such as a digest.
  template <class T>
  requires std::is_trivially_copyable_v<T> T value(std::string_view field) {
    T value{};
    const ByteView bytes = take(sizeof(T), field);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  /// A view of the next `size` bytes.
  ByteView take(std::uint64_t size, std::string_view field);
  /// A view of bytes that follow their 32-bit length.
  ByteView block(std::string_view field) { return take(number<std::uint32_t>(field), field); }
  /// A text that follows its 32-bit length.
  std::string text(std::string_view field) { return std::string(as_text(block(field))); }
  /// A number of records of which each takes at least `smallest` bytes: refused where they cannot
  /// fit, so that no count in a file ever decides how much memory is taken.
  std::uint32_t count(std::uint64_t smallest, std::string_view field);
  /// The same check for a number that was read before, at `offset`.
  void expect_room(std::uint64_t count, std::uint64_t smallest, std::size_t offset,
                   std::string_view field);

  /// Ends the readable bytes `size` from here; gives the end before, for widen.
  std::size_t narrow(std::uint64_t size, std::string_view field);
  void widen(std::size_t end);
  /// Takes what a file begins with. Refuses another beginning with the message `otherwise`, also
  /// where the file is shorter.
  void expect_magic(std::string_view magic, std::string_view otherwise);
  /// Takes a 32-bit version. Another one is refused as unsupported.
  void expect_version(std::uint32_t version);
  /// Refuses where anything is left.
  void expect_end();

  /// Records a failure at a byte offset, unless there was one before.
  void refuse(std::size_t offset, std::string_view field, std::string_view reason,
              std::optional<Errc> code = {});
  /// The offset of a view that was taken from this cursor's bytes.
  std::size_t offset_of(std::string_view view) const;

 private:
  ByteView bytes_;
  std::size_t at_ = 0, end_;
  std::string_view what_;
  Errc code_;
  std::optional<Error> error_;
};

}  // namespace kiln
