#include "store/trust.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "store/guarded_file.hpp"

namespace kiln {
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
