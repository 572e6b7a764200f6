#pragma once

#include <cstring>

#include "base/data/bytes.hpp"

namespace kiln {

/// For hash tables: a digest is already uniform, so its first word serves.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept {
    std::size_t word;
    std::memcpy(&word, digest.bytes.data(), sizeof word);
    return word;
  }
};

/// BLAKE2b-256 of the bytes (RFC 7693, by libsodium).
Digest blake2b(ByteView bytes);

/// BLAKE2b-256 of bytes that arrive in pieces. Not thread-safe.
class Blake2b {
 public:
  Blake2b();
  Blake2b(const Blake2b&) = delete;
  Blake2b& operator=(const Blake2b&) = delete;
  void update(ByteView bytes);
  Digest finish();

 private:
  alignas(64) std::byte state_[384];  ///< libsodium's, whose header is not needed here
};

/// XXH3-128: the checksum on every read, and the hash of in-memory tables. Never an identity of
/// something that came from elsewhere.
struct Checksum {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Checksum&) const = default;
};
Checksum xxh3(ByteView bytes);

/// A digest from its 64 hexadecimal letters; false where the text is not one.
bool parse_digest(std::string_view hex, Digest& into);

}  // namespace kiln
