#include "base/digest.hpp"
#include "format/poclbin.hpp"
#include "format/poclbin/layout.hpp"

namespace kiln::poclbin {

std::uint64_t device_id(std::string_view device_string) {
  // FNV-1: multiply, then xor. The more usual FNV-1a does it the other way round.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : device_string) {
    hash *= 0x100000001b3;
    hash ^= static_cast<unsigned char>(letter);
  }
  return hash;
}

std::string build_hash(ByteView digest) {
  // Digested again, so that every byte of the caller's counts however many there are.
  const Digest mixed = blake2b(digest);
  std::string hash;
  for (std::size_t i = 0; i < build_hash_size / 2; ++i) {
    const auto byte = std::to_integer<unsigned>(mixed.bytes[i]);
    hash += static_cast<char>('A' + (byte & 15));
    hash += static_cast<char>('A' + (byte >> 4));
  }
  hash[2] = '/';
  return hash;
}

}  // namespace kiln::poclbin
