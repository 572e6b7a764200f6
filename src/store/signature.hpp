#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

/// Ed25519 signatures (RFC 8032, by libsodium).
namespace kiln {

/// Who signs. As text: 64 hexadecimal letters.
struct PublicKey {
  std::array<std::byte, 32> bytes{};
  std::string hex() const { return to_hex(bytes); }
  auto operator<=>(const PublicKey&) const = default;
};

/// A signature, and whose it is said to be.
struct Signature {
  PublicKey signer;
  std::array<std::byte, 64> bytes{};
  bool operator==(const Signature&) const = default;
};

/// The secret half of a key pair, wiped when it goes. Thread-safe to use.
class SigningKey {
 public:
  /// A new pair, from the system's randomness.
  static SigningKey generate();
  /// From the text of a key file (docs/formats/keys.md). Errors: bad_input.
  static Expected<SigningKey> parse(std::string_view text);
  /// Reads a key file, which only its owner may read. Errors: bad_input, io, not_found.
  static Expected<SigningKey> read(const std::string& path);

  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  PublicKey public_key() const;
  Signature sign(ByteView message) const;
  /// What parse() reads.
  std::string text() const;

 private:
  SigningKey() = default;
  std::array<std::byte, 32> seed_{};
};

/// Whether this signature is its signer's over these bytes.
bool verifies(const Signature& signature, ByteView message);

/// From 64 hexadecimal letters. Errors: bad_input.
Expected<PublicKey> parse_public_key(std::string_view hex);

}  // namespace kiln
