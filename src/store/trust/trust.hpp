#pragma once

#include "base/data/bytes.hpp"
#include "kiln/store/trust.hpp"

// What the store alone needs of keys and lists of them (kiln/store/trust.hpp).
namespace kiln {

inline constexpr std::size_t key_hex_letters = 64;

/// Bytes as libsodium takes them.
template <class Array>
unsigned char* sodium_bytes(Array& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
inline const unsigned char* sodium_bytes(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// Whether this signature is its signer's over these bytes.
bool verifies(const Signature& signature, ByteView message);

/// From 64 hexadecimal letters. Errors: bad_input.
Expected<PublicKey> parse_public_key(std::string_view hex);

// Where a list of trusted keys is set, what this user made on this machine has to prove it, too: a
// row that says so could be written by anyone with access to the file. So it is signed with a key
// that is kept apart from the store.

/// The key that is there. Errors: as SigningKey::read(); not_found also where there is no place.
Expected<SigningKey> read_machine_key();

/// The same, made where it is absent. Processes that make it at once all get the same one.
Expected<SigningKey> make_machine_key();

/// Reads a list: a public key a line, then perhaps a blank and a name; # begins a comment.
/// Errors: bad_input (file:line), io, not_found.
Expected<Trust> read_trust(const std::string& path);

}  // namespace kiln
