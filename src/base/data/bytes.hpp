#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Lower-case hexadecimal, two letters a byte.
std::string to_hex(ByteView bytes);
/// The bytes of a hexadecimal text of even length; empty where it is not one.
Bytes from_hex(std::string_view text);

}  // namespace kiln
