// Packs, files of entries that go to other machines: reading them, and who vouches for them (`kiln
// store sign` and `kiln store key`).
#include "cli/store/packs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entries.hpp"

namespace kiln::cli {

PackFile read_pack_file(const std::string& path) {
  const EndsAtOnce reading;
  PackFile pack{path, value_or_throw(read_input(path, largest_pack)), {}};
  auto entries = read_pack(pack.bytes);
  // To the user a damaged pack is bad input (exit code 2), whatever the reader calls it.
  if (!entries)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, entries.error().message()));
  pack.entries = *std::move(entries);
  return pack;
}

int each_pack(const Context& context, const std::function<int(const std::string& path)>& call) {
  int code = 0;
  for (const std::string& path : context.arguments()) {
    try {
      code = std::max(code, call(path));
    } catch (const Error& error) {
      code = std::max(code, tell_failure(context, path, error));
    }
  }
  return code;
}

SigningKey signing_key_of(const Context& context) {
  if (context.has("key")) return value_or_throw(SigningKey::read(context.text("key")));
  if (auto key = value_or_throw(default_signing_key())) return *key;
  throw Error(Errc::bad_input,
              fmt::format("{}: missing signing key: --key FILE or KILN_SIGNING_KEY names it (kiln "
                          "store key FILE makes one)",
                          context.command().name));
}

nlohmann::ordered_json json_of(const PackFile& pack, const PackEntry& entry) {
  const Metadata& metadata = entry.head.metadata;
  return {{"pack", pack.path},
          {"key", entry.head.key.hex()},
          {"kind", name_of(entry.head.kind)},
          {"label", metadata.label},
          {"size", entry.head.size},
          {"cost_seconds", metadata.cost_seconds},
          {"fingerprint", metadata.fingerprint},
          {"schema", metadata.schema},
          {"signer", entry.signature ? entry.signature->signer.hex() : ""}};
}

std::string entry_text(const PackEntry& entry) {
  return fmt::format("{} {} ({})", name_of(entry.head.kind), entry.head.key.digest.brief(),
                     one_line(entry.head.metadata.label));
}

namespace {

// `kiln store sign`: a signature for every entry of a pack.

constexpr Option store_sign_options[] = {options::signing_key, options::output, options::json};
constexpr Example store_sign_examples[] = {
    {"kiln store sign farm.kiln", "Signs with this user's key, in place."},
    {"kiln store sign --key release.key farm.kiln -o signed.kiln",
     "With another, into a new file."},
};

/// On standard error where it is for people: the pack itself may go to standard output.
void tell_signed(const Context& context, const std::string& output, std::size_t entries,
                 const std::string& signer) {
  if (context.flag("json"))
    print_json({{"pack", output}, {"entries", entries}, {"signer", signer}});
  else
    complain(fmt::format("note: {}: {} signed by {}", output, entries_text(entries), signer));
}

}  // namespace

constinit const Command store_sign_command{
    .name = "store sign",
    .summary = "sign every entry of a pack",
    .description =
        "Signs each entry of a pack (Ed25519), in place of the signature that it may have had: "
        "whoever signs vouches for all of it. Machines that list the public key let the entries "
        "in, "
        "from this pack and from wherever else they meet them later. The pack is checked first; "
        "the same pack and key give the same bytes.",
    .options = store_sign_options,
    .positional = {.value_name = "PACK",
                   .help = "A pack; - is standard input, and needs --output.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file},
    .examples = store_sign_examples,
    .in_place = true,
};

int store_sign(Context& context) {
  const std::string& path = context.arguments().front();
  if (path == standard_input && !context.has("output"))
    throw Error(Errc::bad_input,
                "store sign: missing --output FILE: a pack from standard input cannot be replaced");
  const SigningKey key = signing_key_of(context);
  const PackFile pack = read_pack_file(path);
  const Bytes signed_pack = value_or_throw(sign_pack(pack.bytes, key));
  const std::string& output = context.has("output") ? context.text("output") : path;
  value_or_throw(write_file(output, signed_pack));
  tell_signed(context, output, pack.entries.size(), key.public_key().hex());
  return 0;
}

namespace {

// `kiln store key`: a key pair to sign with.

constexpr Option show_key{.name = "show",
                          .help = "Prints the public key of a file that is there; makes nothing."};
constexpr Option store_key_options[] = {show_key, options::json};
constexpr Example store_key_examples[] = {
    {"kiln store key ~/.config/kiln/signing-key", "A key pair for what this user signs."},
    {"kiln store key --show release.key >> trusted-keys", "Lists its public half as trusted."},
};

/// Writes a new key. An existing file is never replaced: its key could not be recovered.
void write_key(const std::string& path, const SigningKey& key) {
  const auto written = write_new_file(path, as_bytes(key.text()), 0600);
  if (!written && written.error().code() == Errc::bad_input)
    throw Error(Errc::bad_input, written.error().message() + " (--show prints its public key)");
  value_or_throw(written);
}

}  // namespace

constinit const Command store_key_command{
    .name = "store key",
    .summary = "make a key pair to sign packs with",
    .description =
        "Makes an Ed25519 key pair in a new file, which only its owner may read, and prints the "
        "public key: 64 letters, a line for the trusted-keys file of machines that are to let in "
        "what is signed with it. Keep the file secret and safe: whoever has it is trusted there.",
    .options = store_key_options,
    .positional = {.value_name = "FILE",
                   .help = "The key's file.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file,
                   .access = Access::update},
    .examples = store_key_examples,
};

int store_key(Context& context) {
  const std::string& path = context.arguments().front();
  const bool made = !context.flag("show");
  const SigningKey key = made ? SigningKey::generate() : value_or_throw(SigningKey::read(path));
  if (made) write_key(path, key);
  const std::string open_half = key.public_key().hex();
  if (context.flag("json"))
    print_json({{"file", path}, {"public_key", open_half}, {"made", made}});
  else
    print(open_half + "\n");
  return 0;
}

}  // namespace kiln::cli
