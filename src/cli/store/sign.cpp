// `kiln store sign`: a signature for every entry of a pack.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/file_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/standard_streams.hpp"
#include "cli/store/pack_commands.hpp"
#include "cli/store/pack_files.hpp"
#include "store/pack_export.hpp"

namespace kiln::cli {
namespace {

constexpr Option store_sign_options[] = {options::signing_key, options::output, options::json};
constexpr Example store_sign_examples[] = {
    {"kiln store sign farm.kiln", "Signs with this user's key, in place."},
    {"kiln store sign --key release.key farm.kiln -o signed.kiln",
     "With another, into a new file."},
};

/// To standard error, unless a program reads it: the pack itself may go to standard output.
void tell(const Context& context, const std::string& output, std::size_t entries,
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
  tell(context, output, pack.entries.size(), key.public_key().hex());
  return 0;
}

}  // namespace kiln::cli
