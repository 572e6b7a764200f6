// `kiln store verify-pack`: what is in a pack, and would it be let in here?
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/store/pack_commands.hpp"
#include "cli/store/pack_files.hpp"
#include "store/trust.hpp"

namespace kiln::cli {
namespace {

constexpr Option store_verify_pack_options[] = {options::json};
constexpr Example store_verify_pack_examples[] = {
    {"kiln store verify-pack farm.kiln", "Is it whole, who signed it, and does this machine care?"},
    {"kiln store verify-pack --json farm.kiln | jq -r .label", "What is in it, for a script."},
};

std::ptrdiff_t refused(const std::vector<std::string>& refusals) {
  return std::count_if(refusals.begin(), refusals.end(),
                       [](const std::string& why) { return !why.empty(); });
}

std::string signer_of(const PackEntry& entry) {
  return entry.signature ? entry.signature->signer.hex().substr(0, 16) : "-";
}

/// What the answers stand for: without a list they say little.
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
    if (!refusals[i].empty()) complain_of(pack.path, name_of(entry) + ": " + refusals[i]);
  }
  print(table.text());
  print(fmt::format("{}: {}, whole; {} would be refused here ({})\n", pack.path,
                    entries_text(pack.entries.size()), refused(refusals), trust_text(trust)));
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
    for (const auto& entry : pack.entries)
      refusals.push_back(trust.refusal(entry.signature, encode_head(entry.head)));
    context.flag("json") ? print_objects(pack, refusals, trust) : print_pack(pack, refusals, trust);
    return refused(refusals) > 0 ? 1 : 0;
  });
}

}  // namespace kiln::cli
