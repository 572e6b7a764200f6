// `kiln store export`: entries of the local store as a pack.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/open.hpp"
#include "cli/store/pack_commands.hpp"
#include "cli/store/pack_files.hpp"
#include "store/pack_export.hpp"

namespace kiln::cli {
namespace {

constexpr Option sign{.name = "sign",
                      .help =
                          "Signs every entry with this user's key. Without it, and without --key, "
                          "entries keep the signatures that they came with."};
constexpr Option store_export_options[] = {
    options::store, options::kind, options::device_text, sign, options::signing_key, options::json};
constexpr Example store_export_examples[] = {
    {"kiln store export all.kiln", "Everything that was compiled and tuned here, in one file."},
    {"kiln store export --sign --kind artifact --device pthread cpu.kiln",
     "The programs for PoCL's processors, signed."},
    {"kiln store export - | zstd > all.kiln.zst",
     "Compressed: packs hold contents as they are, and compress well as a whole."},
};

std::optional<SigningKey> key_for(const Context& context) {
  if (!context.flag("sign") && !context.has("key")) return std::nullopt;
  return signing_key_of(context);
}

}  // namespace

constinit const Command store_export_command{
    .name = "store export",
    .summary = "write entries of the store to a pack",
    .description =
        "Writes a file with entries of the local store, to be taken into the stores of other "
        "machines by kiln store import. It holds programs, plans and what was tuned, but (except "
        "for dates of searches) no times, "
        "paths, user or host names: the same entries give the same bytes everywhere. Equal "
        "contents stand in it once.\n\n"
        "KEY is the first letters of keys; without any, all entries are taken that --kind and "
        "--device let through. An entry that is damaged, or that this machine may not use itself, "
        "is left out and named, and the exit code is 1.",
    .options = store_export_options,
    .positional = {.value_name = "PACK [KEY]",
                   .help = "The file to write, and the first letters of keys.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file,
                   .access = Access::write,
                   .access_rest = Access::none},
    .examples = store_export_examples,
};

int store_export(Context& context) {
  const std::string& path = context.arguments().front();
  const auto prefixes = prefixes_of(std::span(context.arguments()).subspan(1));
  const auto key = key_for(context);
  const auto store = open_local(context);
  const auto wanted = [&](const EntryInfo& entry) {
    return is_asked_for(entry, context, prefixes);
  };
  const auto exported = value_or_throw(export_pack(*store, wanted, key ? &*key : nullptr));
  for (const auto& entry : exported.left_out)
    complain(fmt::format("left out: {} {}: {}", name_of(entry.kind), entry.key.digest.brief(),
                         entry.reason));
  if (exported.entries == 0)
    throw Error(Errc::not_found, "no entry of the store fits; nothing is written");
  value_or_throw(write_file(path, exported.pack));
  if (context.flag("json"))
    print_json({{"pack", path},
                {"entries", exported.entries},
                {"contents", exported.contents},
                {"left_out", exported.left_out.size()},
                {"bytes", exported.pack.size()},
                {"signer", key ? key->public_key().hex() : ""}});
  else
    complain(fmt::format("note: {}: {}, {}", path, entries_text(exported.entries),
                         byte_count_text(exported.pack.size())));
  return exported.left_out.empty() ? 0 : 1;
}

}  // namespace kiln::cli
