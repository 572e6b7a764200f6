#include "base/data/digest.hpp"

#include <sodium.h>
#include <xxhash.h>

#include <new>

namespace kiln {

std::string Digest::hex() const { return to_hex(bytes); }

Digest blake2b(ByteView bytes) {
  Digest digest;
  crypto_generichash(reinterpret_cast<unsigned char*>(digest.bytes.data()), digest.bytes.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return digest;
}

namespace {

crypto_generichash_state* state_in(std::byte* bytes) {
  return reinterpret_cast<crypto_generichash_state*>(bytes);
}

}  // namespace

Blake2b::Blake2b() {
  static_assert(sizeof(crypto_generichash_state) <= sizeof state_ &&
                alignof(crypto_generichash_state) <= alignof(Blake2b));
  crypto_generichash_init(new (state_) crypto_generichash_state, nullptr, 0, sizeof(Digest));
}

void Blake2b::update(ByteView bytes) {
  crypto_generichash_update(state_in(state_), reinterpret_cast<const unsigned char*>(bytes.data()),
                            bytes.size());
}

Digest Blake2b::finish() {
  Digest digest;
  crypto_generichash_final(state_in(state_), reinterpret_cast<unsigned char*>(digest.bytes.data()),
                           digest.bytes.size());
  return digest;
}

Checksum xxh3(ByteView bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

bool parse_digest(std::string_view hex, Digest& into) {
  const Bytes bytes = from_hex(hex);
  if (bytes.size() != into.bytes.size()) return false;
  std::memcpy(into.bytes.data(), bytes.data(), bytes.size());
  return true;
}

}  // namespace kiln
