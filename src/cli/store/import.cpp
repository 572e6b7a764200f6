// `kiln store import`: the entries of packs into the local store.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/store/open.hpp"
#include "cli/store/pack_commands.hpp"
#include "cli/store/pack_files.hpp"
#include "store/pack_import.hpp"

namespace kiln::cli {
namespace {

constexpr Option import_dry_run{
    .name = "dry-run", .help = "Says what would become of each entry, and stores nothing."};
constexpr Option store_import_options[] = {options::store, options::store_size, import_dry_run,
                                           options::json};
constexpr Example store_import_examples[] = {
    {"kiln store import farm.kiln", "From now on what the farm has compiled starts at once."},
    {"kiln store import --dry-run --json farm.kiln", "What would come in, and what would not?"},
    {"zstd -dc farm.kiln.zst | kiln store import -", "The same from a compressed file."},
};

/// Counts and tells what becomes of the entries of one pack.
struct Teller {
  const PackFile& pack;
  bool json = false;
  std::array<std::uint64_t, 4> counts{};

  std::uint64_t count(Outcome outcome) const { return counts[static_cast<std::size_t>(outcome)]; }

  void operator()(const PackEntry& entry, Outcome outcome, const std::string& reason) {
    ++counts[static_cast<std::size_t>(outcome)];
    if (json) {
      auto object = json_of(pack, entry);
      object["outcome"] = kiln::name_of(outcome);
      object["reason"] = reason;
      print_json(object);
    } else if (!reason.empty()) {
      complain_of(pack.path,
                  fmt::format("{} {}: {}", kiln::name_of(outcome), name_of(entry), reason));
    }
  }

  std::string text(ImportMode mode) const {
    return fmt::format(
        "{}: {}{} imported, {} already there, {} kept as they are here, {} refused\n", pack.path,
        mode == ImportMode::dry_run ? "dry run: " : "", count(Outcome::imported),
        count(Outcome::present), count(Outcome::kept), count(Outcome::refused));
  }
};

/// The exit code of one pack.
int import_one(const Context& context, LocalStore& store, const Trust& trust,
               const std::string& path) {
  const PackFile pack = read_pack_file(path);
  const auto mode = context.flag("dry-run") ? ImportMode::dry_run : ImportMode::write;
  Teller teller{pack, context.flag("json")};
  value_or_throw(import_pack(store, pack.entries, trust, mode, std::ref(teller)));
  if (!teller.json) print(teller.text(mode));
  return teller.count(Outcome::refused) > 0 ? 1 : 0;
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
  const auto store = open_local(context);
  const Trust trust = default_trust();
  return each_pack(
      context, [&](const std::string& path) { return import_one(context, *store, trust, path); });
}

}  // namespace kiln::cli
