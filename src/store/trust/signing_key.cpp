// Keys that sign: their files, the one of this machine and the one of this user.
#include <fmt/format.h>
#include <sodium.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "store/trust/guarded_files.hpp"
#include "store/trust/trust.hpp"

namespace kiln {

namespace {

constexpr std::string_view key_magic = "kiln-signing-key-1 ";
constexpr std::size_t largest_key_file = 4096;

/// A seed's key pair as libsodium wants it: for as long as it takes to use it.
struct Pair {
  std::array<unsigned char, crypto_sign_ed25519_PUBLICKEYBYTES> open;
  std::array<unsigned char, crypto_sign_ed25519_SECRETKEYBYTES> secret;

  explicit Pair(ByteView seed) {
    crypto_sign_ed25519_seed_keypair(open.data(), secret.data(), sodium_bytes(seed));
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
  const bool whole = text.size() == key_hex_letters && seed.size() == key.seed_.size();
  if (whole) std::copy(seed.begin(), seed.end(), key.seed_.begin());
  sodium_memzero(seed.data(), seed.size());
  // The message holds nothing of the text, which may be most of a secret.
  if (!whole)
    return fail(Errc::bad_input,
                fmt::format("not a signing key: expected {} hexadecimal digits after \"{}\"",
                            key_hex_letters, key_magic));
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
  crypto_sign_ed25519_detached(sodium_bytes(signature.bytes), nullptr, sodium_bytes(message),
                               message.size(), pair.secret.data());
  return signature;
}

std::string SigningKey::text() const { return std::string(key_magic) + to_hex(seed_) + "\n"; }

// This machine's key.

namespace {

/// Under a name of its own until it is whole, then under the asked one if that is still free.
Expected<void> write_new_key(const std::filesystem::path& path, const SigningKey& key) {
  // Two stores of a process may both be without it.
  const std::string aside =
      fmt::format("{}.{}.{}", path.string(), ::getpid(), ::syscall(SYS_gettid));
  if (auto written = write_file(aside, as_bytes(key.text()), 0600); !written) return written;
  const int failure = ::link(aside.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(aside.c_str());
  if (failure == 0 || failure == EEXIST) return {};
  return tl::unexpected(io_error("make", path, failure));
}

}  // namespace

std::string machine_key_path() {
  if (auto named = environment("KILN_MACHINE_KEY"); !named.empty())
    return named == "off" ? "" : named;
  const auto folder = user_folder(UserFolder::state);
  return folder.empty() ? "" : (folder / "machine-key").string();
}

Expected<SigningKey> read_machine_key() {
  const std::string path = machine_key_path();
  if (path.empty())
    return fail(Errc::not_found,
                "no path for this machine's key: set KILN_MACHINE_KEY, XDG_STATE_HOME or HOME");
  return SigningKey::read(path);
}

Expected<SigningKey> make_machine_key() {
  auto present = read_machine_key();
  if (present || present.error().code() != Errc::not_found) return present;
  const std::filesystem::path path = machine_key_path();
  if (path.empty()) return present;
  if (path.has_parent_path())
    if (auto folder = check_store_folder(path.parent_path(), FolderUse::make); !folder)
      return tl::unexpected(folder.error());
  if (auto written = write_new_key(path, SigningKey::generate()); !written)
    return tl::unexpected(written.error());
  return read_machine_key();
}

// This user's key.

Expected<std::optional<SigningKey>> default_signing_key() {
  std::string path = environment("KILN_SIGNING_KEY");
  if (path == "off") return std::nullopt;
  if (path.empty()) {
    const auto folder = user_folder(UserFolder::config).string();
    if (folder.empty() || !is_there(folder + "/signing-key")) return std::nullopt;
    path = folder + "/signing-key";
  }
  auto key = SigningKey::read(path);
  if (!key) return tl::unexpected(key.error());
  return std::optional(*key);
}

}  // namespace kiln
