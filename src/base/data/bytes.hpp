#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kiln/bytes.hpp"

namespace kiln {

inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// The bytes of a trivially copyable value, in the machine's order.
template <class T>
requires std::is_trivially_copyable_v<T> ByteView bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof(T)};
}

/// Little-endian load from unaligned memory; the caller has checked the length.
template <class T>
T load_le(const std::byte* from) {
  static_assert(std::is_integral_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;  // every machine that Kiln runs on is little-endian; see the check in bytes.cpp
}
inline void append(Bytes& to, ByteView bytes) {
  if (bytes.empty()) return;  // a null pointer is no argument for memcpy
  const std::size_t size = to.size();
  to.resize(size + bytes.size());
  std::memcpy(to.data() + size, bytes.data(), bytes.size());
}
/// Appends a value in little-endian order.
template <class T>
void append_le(Bytes& to, T value) {
  static_assert(std::is_integral_v<T>);
  append(to, bytes_of(value));
}
inline void append(Bytes& to, std::string_view text) { append(to, as_bytes(text)); }

/// A size that knows when it no longer fits its type, however it was computed from others:
///
///     const CheckedSize bytes = CheckedSize(rows) * columns * size_of(type) + offset;
///     if (!bytes.fits()) …
///
/// What was too large stays so, whatever it is multiplied by or added to.
class CheckedSize {
 public:
  constexpr CheckedSize(std::size_t value) : value_(value) {}  // NOLINT: sizes are meant to mix in
  /// For what a signed number counts; a negative one does not fit.
  static constexpr CheckedSize of_signed(std::int64_t value) {
    CheckedSize size(static_cast<std::size_t>(value));
    size.fits_ = value >= 0;
    return size;
  }

  constexpr CheckedSize& operator*=(const CheckedSize& other) {
    fits_ = !__builtin_mul_overflow(value_, other.value_, &value_) && fits_ && other.fits_;
    return *this;
  }
  constexpr CheckedSize& operator+=(const CheckedSize& other) {
    fits_ = !__builtin_add_overflow(value_, other.value_, &value_) && fits_ && other.fits_;
    return *this;
  }
  friend constexpr CheckedSize operator*(CheckedSize a, const CheckedSize& b) { return a *= b; }
  friend constexpr CheckedSize operator+(CheckedSize a, const CheckedSize& b) { return a += b; }

  /// Whether it is at most `most`; by default what an array of bytes can have at all.
  constexpr bool fits(std::size_t most = PTRDIFF_MAX) const { return fits_ && value_ <= most; }
  /// The size; nothing where it does not fit its type.
  constexpr std::optional<std::size_t> get() const {
    return fits_ ? std::optional(value_) : std::nullopt;
  }
  /// The size, where it is no more than `otherwise`, which stands for all that is more.
  constexpr std::size_t at_most(std::size_t otherwise) const {
    return fits(otherwise) ? value_ : otherwise;
  }

 private:
  std::size_t value_;
  bool fits_ = true;
};

/// Lower-case hexadecimal, two letters a byte.
std::string to_hex(ByteView bytes);
/// The bytes of a hexadecimal text of even length; empty where it is not one.
Bytes from_hex(std::string_view text);

}  // namespace kiln
