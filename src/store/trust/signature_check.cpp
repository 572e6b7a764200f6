// Whether what is signed may be used: signatures are checked here, of entries in packs, from the
// shared store and in the local one, against the list of keys that this machine trusts.
#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "store/trust/guarded_files.hpp"
#include "store/trust/trust.hpp"

namespace kiln {

std::string PublicKey::hex() const { return to_hex(bytes); }

bool verifies(const Signature& signature, ByteView message) {
  return crypto_sign_ed25519_verify_detached(sodium_bytes(ByteView(signature.bytes)),
                                             sodium_bytes(message), message.size(),
                                             sodium_bytes(ByteView(signature.signer.bytes))) == 0;
}

Expected<PublicKey> parse_public_key(std::string_view hex) {
  PublicKey key;
  const Bytes bytes = from_hex(hex);
  if (hex.size() != key_hex_letters || bytes.size() != key.bytes.size())
    return fail(Errc::bad_input,
                fmt::format("not a public key: expected {} hexadecimal digits", key_hex_letters));
  std::copy(bytes.begin(), bytes.end(), key.bytes.begin());
  // One that no signature can be by is a slip of the pen, and better heard of now.
  if (crypto_core_ed25519_is_valid_point(sodium_bytes(key.bytes)) != 1)
    return fail(Errc::bad_input,
                "not a public key: these 64 digits are not an Ed25519 key; is one mistyped?");
  return key;
}

// The list of trusted keys.

namespace {

constexpr std::size_t largest_list = 1 << 20;
constexpr std::string_view blanks = " \t\r";

/// The first word of a line, without its comment.
std::string_view first_word(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const auto start = line.find_first_not_of(blanks);
  if (start == line.npos) return {};
  line.remove_prefix(start);
  return line.substr(0, line.find_first_of(blanks));
}

/// The list, or a trust in no key where it cannot be read.
Trust trust_in(const std::string& path) {
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
    return named == "off" ? Trust{} : trust_in(named);
  if (const auto folder = user_folder(UserFolder::config).string(); !folder.empty())
    if (const auto path = folder + "/trusted-keys"; is_there(path)) return trust_in(path);
  const std::string machine = "/etc/kiln/trusted-keys";
  return is_there(machine) ? trust_in(machine) : Trust{};
}

}  // namespace kiln
