#include "store/signature.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include "store/guarded_file.hpp"

namespace kiln {
namespace {

constexpr std::string_view key_magic = "kiln-signing-key-1 ";
constexpr std::size_t hex_letters = 64;
constexpr std::size_t largest_key_file = 4096;

template <class Array>
unsigned char* raw(Array& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
const unsigned char* raw(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// A seed's key pair as libsodium wants it: for as long as it takes to use it.
struct Pair {
  std::array<unsigned char, crypto_sign_ed25519_PUBLICKEYBYTES> open;
  std::array<unsigned char, crypto_sign_ed25519_SECRETKEYBYTES> secret;

  explicit Pair(ByteView seed) {
    crypto_sign_ed25519_seed_keypair(open.data(), secret.data(), raw(seed));
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { sodium_memzero(secret.data(), secret.size()); }
};

}  // namespace

SigningKey SigningKey::generate() {
  // Aborts where the system has no randomness at all, so it is asked for first.
  if (sodium_init() < 0) throw Error(Errc::internal, "libsodium cannot be used on this machine");
  SigningKey key;
  randombytes_buf(key.seed_.data(), key.seed_.size());
  return key;
}

Expected<SigningKey> SigningKey::parse(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.starts_with(key_magic))
    return fail(Errc::bad_input, fmt::format("not a signing key: expected \"{}HEX\"", key_magic));
  text.remove_prefix(key_magic.size());
  Bytes seed = from_hex(text);
  SigningKey key;
  const bool whole = text.size() == hex_letters && seed.size() == key.seed_.size();
  if (whole) std::copy(seed.begin(), seed.end(), key.seed_.begin());
  sodium_memzero(seed.data(), seed.size());
  // The message holds nothing of the text, which may be most of a secret.
  if (!whole)
    return fail(Errc::bad_input,
                fmt::format("not a signing key: expected {} hexadecimal digits after \"{}\"",
                            hex_letters, key_magic));
  return key;
}

Expected<SigningKey> SigningKey::read(const std::string& path) {
  auto text = read_guarded(path, Guard::unread, largest_key_file);
  if (!text) return tl::unexpected(text.error());
  auto key = parse(*text);
  sodium_memzero(text->data(), text->size());
  if (!key) return fail(key.error().code(), path + ": " + key.error().message());
  return key;
}

SigningKey::~SigningKey() { sodium_memzero(seed_.data(), seed_.size()); }

PublicKey SigningKey::public_key() const {
  const Pair pair(seed_);
  PublicKey key;
  std::memcpy(key.bytes.data(), pair.open.data(), key.bytes.size());
  return key;
}

Signature SigningKey::sign(ByteView message) const {
  const Pair pair(seed_);
  Signature signature;
  std::memcpy(signature.signer.bytes.data(), pair.open.data(), pair.open.size());
  crypto_sign_ed25519_detached(raw(signature.bytes), nullptr, raw(message), message.size(),
                               pair.secret.data());
  return signature;
}

std::string SigningKey::text() const { return std::string(key_magic) + to_hex(seed_) + "\n"; }

bool verifies(const Signature& signature, ByteView message) {
  return crypto_sign_ed25519_verify_detached(raw(ByteView(signature.bytes)), raw(message),
                                             message.size(),
                                             raw(ByteView(signature.signer.bytes))) == 0;
}

Expected<PublicKey> parse_public_key(std::string_view hex) {
  PublicKey key;
  const Bytes bytes = from_hex(hex);
  if (hex.size() != hex_letters || bytes.size() != key.bytes.size())
    return fail(Errc::bad_input,
                fmt::format("not a public key: expected {} hexadecimal digits", hex_letters));
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  // One that no signature can be by is a slip of the pen, and better heard of now.
  if (crypto_core_ed25519_is_valid_point(raw(key.bytes)) != 1)
    return fail(Errc::bad_input,
                "not a public key: these 64 digits are not an Ed25519 key; is one mistyped?");
  return key;
}

}  // namespace kiln
