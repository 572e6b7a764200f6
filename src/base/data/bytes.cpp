#include "base/data/bytes.hpp"

#include <sodium.h>

#include <bit>

namespace kiln {

static_assert(std::endian::native == std::endian::little,
              "load_le and append_le rely on a little-endian machine");

std::string to_hex(ByteView bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  text.pop_back();  // the zero that it ends a C string with
  return text;
}

Bytes from_hex(std::string_view text) {
  if (text.size() < 2) return {};
  Bytes bytes(text.size() / 2);
  const int error = sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
                                   text.data(), text.size(), nullptr, nullptr, nullptr);
  return error == 0 ? bytes : Bytes();
}

}  // namespace kiln
