// `kiln store key`: a key pair to sign with.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/common_options.hpp"
#include "cli/context.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/pack_commands.hpp"
#include "store/signature.hpp"

namespace kiln::cli {
namespace {

constexpr Option show{.name = "show",
                      .help = "Prints the public key of a file that is there; makes nothing."};
constexpr Option store_key_options[] = {show, options::json};
constexpr Example store_key_examples[] = {
    {"kiln store key ~/.config/kiln/signing-key", "A key pair for what this user signs."},
    {"kiln store key --show release.key >> trusted-keys", "Lists its public half as trusted."},
};

/// Writes a new key. A file that is there stays: what it signed would be lost with it.
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
