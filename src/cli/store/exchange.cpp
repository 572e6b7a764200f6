// Entries between stores by way of packs: `kiln store export`, `import` and `verify-pack`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/commands.hpp"
#include "cli/store/entries.hpp"
#include "cli/store/packs.hpp"

namespace kiln::cli {
namespace {

// `kiln store export`: entries of the local store as a pack.

constexpr Option sign_entries{
    .name = "sign",
    .help =
        "Signs every entry with this user's key. Without it, and without --key, "
        "entries keep the signatures that they came with."};
constexpr Option store_export_options[] = {options::store,       options::kind,
                                           options::device_text, sign_entries,
                                           options::signing_key, options::json};
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
  const auto filter = filter_of(context, std::span(context.arguments()).subspan(1));
  const auto key = key_for(context);
  const auto exported = store_of(context).export_pack(filter, key ? &*key : nullptr);
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

namespace {

// `kiln store import`: the entries of packs into the local store.

constexpr Option import_dry_run{
    .name = "dry-run", .help = "Says what would become of each entry, and stores nothing."};
constexpr Option store_import_options[] = {options::store, options::store_size, import_dry_run,
                                           options::json};
constexpr Example store_import_examples[] = {
    {"kiln store import farm.kiln", "From now on what the farm has compiled starts at once."},
    {"kiln store import --dry-run --json farm.kiln", "What would come in, and what would not?"},
    {"zstd -dc farm.kiln.zst | kiln store import -", "The same from a compressed file."},
};

/// Counts and prints what happens to the entries of one pack.
struct Teller {
  const PackFile& pack;
  bool json = false;
  std::array<std::uint64_t, 4> counts{};

  std::uint64_t count(ImportOutcome outcome) const {
    return counts[static_cast<std::size_t>(outcome)];
  }

  void operator()(const PackEntry& entry, ImportOutcome outcome, const std::string& reason) {
    ++counts[static_cast<std::size_t>(outcome)];
    if (json) {
      auto object = json_of(pack, entry);
      object["outcome"] = kiln::name_of(outcome);
      object["reason"] = reason;
      print_json(object);
    } else if (!reason.empty()) {
      complain_of(pack.path,
                  fmt::format("{} {}: {}", kiln::name_of(outcome), entry_text(entry), reason));
    }
  }

  std::string text(ImportMode mode) const {
    return fmt::format(
        "{}: {}{} imported, {} already there, {} kept as they are here, {} refused\n", pack.path,
        mode == ImportMode::dry_run ? "dry run: " : "", count(ImportOutcome::imported),
        count(ImportOutcome::present), count(ImportOutcome::kept), count(ImportOutcome::refused));
  }
};

/// Imports one pack. Returns its exit code.
int import_one(const Context& context, const Store& store, const std::string& path) {
  const PackFile pack = read_pack_file(path);
  const auto mode = context.flag("dry-run") ? ImportMode::dry_run : ImportMode::write;
  Teller teller{pack, context.flag("json")};
  store.import_pack(pack.entries, mode, std::ref(teller));
  if (!teller.json) print(teller.text(mode));
  return teller.count(ImportOutcome::refused) > 0 ? 1 : 0;
}

}  // namespace

constinit const Command store_import_command{
    .name = "store import",
    .summary = "take the entries of packs into the store",
    .description =
        "Reads packs and stores their entries, so that runs which ask for them compile nothing. "
        "Everything is checked first: the digest of the pack, of each content and of each key. "
        "Where this machine lists the keys that it trusts (KILN_TRUSTED_KEYS, "
        "~/.config/kiln/trusted-keys, /etc/kiln/trusted-keys), only entries with a good signature "
        "by one of them get in; a signature that does not hold is refused in any case. Packs hold "
        "machine code: without such a list, import what you trust.\n\n"
        "What this machine has made itself stays as it is. The exit code is 1 where an entry was "
        "refused, 2 where a pack is damaged; of a damaged pack nothing is stored, and the others "
        "are read all the same.",
    .options = store_import_options,
    .positional = packs,
    .examples = store_import_examples,
};

int store_import(Context& context) {
  const Store store = store_of(context);
  return each_pack(context,
                   [&](const std::string& path) { return import_one(context, store, path); });
}

namespace {

// `kiln store verify-pack`: what is in a pack, and would it be let in here?

constexpr Option store_verify_pack_options[] = {options::json};
constexpr Example store_verify_pack_examples[] = {
    {"kiln store verify-pack farm.kiln", "Is it whole, who signed it, and does this machine care?"},
    {"kiln store verify-pack --json farm.kiln | jq -r .label", "What is in it, for a script."},
};

std::ptrdiff_t count_refused(const std::vector<std::string>& refusals) {
  return std::count_if(refusals.begin(), refusals.end(),
                       [](const std::string& why) { return !why.empty(); });
}

std::string signer_of(const PackEntry& entry) {
  return entry.signature ? entry.signature->signer.hex().substr(0, 16) : "-";
}

/// Which list of keys the answers refer to.
std::string trust_text(const Trust& trust) {
  if (!trust.required)
    return "no list of trusted keys: whatever is unsigned or well signed is let in";
  return fmt::format("{} trusted {} in {}", trust.keys.size(),
                     trust.keys.size() == 1 ? "key" : "keys", one_line(trust.origin));
}

void print_pack(const PackFile& pack, const std::vector<std::string>& refusals,
                const Trust& trust) {
  Table table({"key", "kind", "size", "signer", "trusted", "label"});
  for (std::size_t i = 0; i < pack.entries.size(); ++i) {
    const PackEntry& entry = pack.entries[i];
    table.row({entry.head.key.digest.brief(), kiln::name_of(entry.head.kind),
               byte_count_text(entry.head.size), signer_of(entry),
               refusals[i].empty() ? "yes" : "no", one_line(entry.head.metadata.label)});
    if (!refusals[i].empty()) complain_of(pack.path, entry_text(entry) + ": " + refusals[i]);
  }
  print(table.text());
  print(fmt::format("{}: {}, whole; {} would be refused here ({})\n", pack.path,
                    entries_text(pack.entries.size()), count_refused(refusals), trust_text(trust)));
}

void print_objects(const PackFile& pack, const std::vector<std::string>& refusals,
                   const Trust& trust) {
  for (std::size_t i = 0; i < pack.entries.size(); ++i) {
    auto object = json_of(pack, pack.entries[i]);
    object["trusted"] = refusals[i].empty();
    object["reason"] = refusals[i];
    object["trusted_keys"] = trust.required ? trust.origin : "";
    print_json(object);
  }
}

}  // namespace

constinit const Command store_verify_pack_command{
    .name = "store verify-pack",
    .summary = "check and list the entries of packs",
    .description =
        "Reads packs as kiln store import does and says of every entry what it is, who signed it, "
        "and whether this machine would let it in, by which list of trusted keys. Nothing is "
        "stored.\n\n"
        "The exit code is 1 where an entry would be refused, 2 where a pack is damaged.",
    .options = store_verify_pack_options,
    .positional = packs,
    .examples = store_verify_pack_examples,
};

int store_verify_pack(Context& context) {
  const Trust trust = default_trust();
  return each_pack(context, [&](const std::string& path) {
    const PackFile pack = read_pack_file(path);
    std::vector<std::string> refusals;
    for (const auto& entry : pack.entries) refusals.push_back(refusal_of(entry, trust));
    context.flag("json") ? print_objects(pack, refusals, trust) : print_pack(pack, refusals, trust);
    return count_refused(refusals) > 0 ? 1 : 0;
  });
}

}  // namespace kiln::cli
