#include "store/trust/trust.hpp"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln {

// Keys and signatures.

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

std::string PublicKey::hex() const { return to_hex(bytes); }

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

// The list of trusted keys.

namespace {

constexpr std::size_t largest_list = 1 << 20;
constexpr std::string_view blanks = " \t\r";

/// Anything but a clear no counts as there: what cannot be looked at must not count as no list.
bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/// The first word of a line, without its comment.
std::string_view first_word(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const auto start = line.find_first_not_of(blanks);
  if (start == line.npos) return {};
  line.remove_prefix(start);
  return line.substr(0, line.find_first_of(blanks));
}

Trust trust_or_nobody(const std::string& path) {
  auto trust = read_trust(path);
  if (trust) return *std::move(trust);
  log(LogLevel::warning, fmt::format("{}; nothing that was made elsewhere is used",
                                     one_line(trust.error().message())));
  return {.required = true, .keys = {}, .origin = path, .unreadable = true};
}

}  // namespace

std::string Trust::refusal(const std::optional<Signature>& signature, ByteView signed_bytes) const {
  if (!signature) return required ? "unsigned" : "";
  if (required && std::find(keys.begin(), keys.end(), signature->signer) == keys.end())
    return fmt::format("signed by {}, which is not listed in {}", signature->signer.hex(), origin);
  return verifies(*signature, signed_bytes) ? "" : "its signature does not verify";
}

Expected<Trust> read_trust(const std::string& path) {
  const auto text = read_guarded(path, Guard::unchanged, largest_list);
  if (!text) return tl::unexpected(text.error());
  Trust trust{.required = true, .keys = {}, .origin = path};
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view word = first_word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    auto key = parse_public_key(word);
    if (!key)
      return fail(Errc::bad_input, fmt::format("{}:{}: {}", path, number, key.error().message()));
    trust.keys.push_back(*key);
  }
  return trust;
}

Trust default_trust() {
  if (const auto named = environment("KILN_TRUSTED_KEYS"); !named.empty())
    return named == "off" ? Trust{} : trust_or_nobody(named);
  if (const auto folder = user_folder(UserFolder::config).string(); !folder.empty())
    if (const auto path = folder + "/trusted-keys"; is_there(path)) return trust_or_nobody(path);
  const std::string machine = "/etc/kiln/trusted-keys";
  return is_there(machine) ? trust_or_nobody(machine) : Trust{};
}

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
