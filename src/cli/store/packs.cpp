// Packs, files of entries that go to other machines: reading them, who vouches for them (`kiln
// store sign` and `key`), and entries between stores by way of them (`export`, `import`,
// `verify-pack`).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"
#include "kiln/prebuild.hpp"
#include "kiln/store/pack.hpp"

namespace kiln::cli {
namespace {

/// A pack and the bytes that its entries view.
struct PackFile {
  std::string path;
  Bytes bytes;
  std::vector<PackEntry> entries;
};

constexpr Option signing_key = Option::file(
    "key", "FILE",
    "The key to sign with, a file that kiln store key made. Without it: KILN_SIGNING_KEY, else "
    "$XDG_CONFIG_HOME/kiln/signing-key or ~/.config/kiln/signing-key.");

/// Packs as positional arguments.
constexpr Positional packs = Positional::files("PACK", "Packs; - is standard input.");

/// Reads a file or a pipe; - is standard input. Throws Error with the path in front: bad_input for
/// a damaged pack.
PackFile read_pack_file(const std::string& path) {
  const EndsAtOnce reading;
  PackFile pack{path, value_or_throw(read_input(path, largest_pack)), {}};
  if (as_text(pack.bytes).starts_with("!<arch>\n"))
    throw bad_input("{}: found a package of Debian, expected a pack; apt install takes packages",
                    path);
  pack.entries = value_or_bad_input(path, read_pack(pack.bytes));
  return pack;
}

/// Calls `call` for each of the command's words, which are packs. One that fails is named on
/// standard error and the others are processed all the same. Returns the largest exit code.
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

/// The key of --key, else of KILN_SIGNING_KEY, else the user's own. Throws Error where there is
/// none.
SigningKey signing_key_of(const Context& context) {
  if (context.has("key")) return value_or_throw(SigningKey::read(context.text("key")));
  if (auto key = value_or_throw(default_signing_key())) return *key;
  throw bad_input(
      "{}: missing signing key: --key FILE or KILN_SIGNING_KEY names it (kiln store key FILE makes "
      "one)",
      context.command().name);
}

/// What a pack says about an entry, as --json prints it.
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

/// "artifact 24e2c053d16ceb2a (blur)", fit for a terminal.
std::string entry_text(const PackEntry& entry) {
  return fmt::format("{} {} ({})", name_of(entry.head.kind), entry.head.key.digest.brief(),
                     one_line(entry.head.metadata.label));
}

// `kiln store sign`: a signature for every entry of a pack.

/// On standard error where it is for people: the pack itself may go to standard output.
void tell_signed(const Context& context, const std::string& output, std::size_t entries,
                 const std::string& signer) {
  if (context.flag("json"))
    print_json({{"pack", output}, {"entries", entries}, {"signer", signer}});
  else
    complain("note: {}: {} signed by {}", one_line(output), entries_text(entries), signer);
}

int store_sign(Context& context) {
  const std::string& path = context.arguments().front();
  if (path == standard_input && !context.has("output"))
    throw bad_input(
        "store sign: missing --output FILE: a pack from standard input cannot be replaced");
  const SigningKey key = signing_key_of(context);
  const PackFile pack = read_pack_file(path);
  const Bytes signed_pack = value_or_throw(sign_pack(pack.bytes, key));
  const std::string& output = context.has("output") ? context.text("output") : path;
  value_or_throw(write_file(output, signed_pack));
  tell_signed(context, output, pack.entries.size(), key.public_key().hex());
  return 0;
}

// `kiln store key`: a key pair to sign with.

constexpr Option show_key =
    Option::flag("show", "Prints the public key of a file that is there; makes nothing.");

int store_key(Context& context) {
  const std::string& path = context.arguments().front();
  const bool made = !context.flag("show");
  std::error_code no_folder;  // of which making the file tells
  if (const auto folder = std::filesystem::path(path).parent_path(); made && !folder.empty())
    std::filesystem::create_directories(folder, no_folder);
  const SigningKey key = made ? SigningKey::generate() : value_or_throw(SigningKey::read(path));
  // An existing file is never replaced: its key could not be recovered.
  if (made) write_new_or_advise(path, as_bytes(key.text()), 0600, "--show prints its public key");
  const std::string open_half = key.public_key().hex();
  print_either(context.flag("json"), {{"file", path}, {"public_key", open_half}, {"made", made}},
               open_half + "\n");
  return 0;
}

// `kiln store export`: entries of the local store as a pack, or as a package of Debian.

constexpr Option sign_entries =
    Option::flag("sign",
                 "Signs every entry with this user's key. Without it, and without --key, entries "
                 "keep the signatures that they came with.");

std::optional<SigningKey> key_for(const Context& context) {
  if (!context.flag("sign") && !context.has("key")) return std::nullopt;
  return signing_key_of(context);
}

constexpr Option as_system_store =
    Option::flag("system",
                 "Writes a package of Debian in place of a pack: installed, it is the system store "
                 "of a machine, so that the first run there compiles nothing.");
constexpr Option package_name =
    Option::text("package", "NAME", "The name of the package.", "kiln-system-store");
constexpr Option package_version =
    Option::text("package-version", "VERSION", "Its version. Without it: Kiln's, with the time.");
constexpr Option package_maintainer =
    Option::text("maintainer", "TEXT", "Whose it is: NAME <ADDRESS>.");

void tell_left_out(const std::vector<ExportedPack::LeftOut>& entries) {
  for (const auto& entry : entries)
    complain("left out: {} {}: {}", name_of(entry.kind), entry.key.digest.brief(), entry.reason);
}

int export_system(const Context& context, const std::string& path, const EntryFilter& filter,
                  const SigningKey* key) {
  SystemPackage package;
  package.name = context.text("package");
  package.version = context.text("package-version");
  if (context.has("maintainer")) package.maintainer = context.text("maintainer");
  const auto exported = store_of(context).export_system(path, filter, package, key);
  tell_left_out(exported.left_out);
  if (context.flag("json"))
    print_json({{"package", path},
                {"name", exported.name},
                {"version", exported.version},
                {"architecture", exported.architecture},
                {"entries", exported.entries},
                {"left_out", exported.left_out.size()},
                {"bytes", exported.bytes},
                {"signer", key != nullptr ? key->public_key().hex() : ""}});
  else
    complain("note: {}: {} {} for {}, {}, {}", one_line(path), exported.name, exported.version,
             exported.architecture, entries_text(exported.entries),
             byte_count_text(exported.bytes));
  return exported.left_out.empty() ? 0 : 1;
}

/// Options that only a package has a use for.
void refuse_package_options(const Context& context) {
  for (const char* name : {"package", "package-version", "maintainer"})
    if (context.is_typed(name))
      throw bad_input("store export: --{} is for packages: expected --system with it", name);
}

int store_export(Context& context) {
  const std::string& path = context.arguments().front();
  const auto filter = filter_of(context, std::span(context.arguments()).subspan(1));
  const auto key = key_for(context);
  if (context.flag("system")) return export_system(context, path, filter, key ? &*key : nullptr);
  refuse_package_options(context);
  if (path.ends_with(".deb"))
    throw bad_input("store export: {}: a pack is no package, expected --system or another name",
                    path);
  const auto exported = store_of(context).export_pack(filter, key ? &*key : nullptr);
  tell_left_out(exported.left_out);
  if (exported.entries == 0)
    throw Error(Errc::not_found, exported.left_out.empty()
                                     ? "no entry of the store fits; nothing is written"
                                     : "nothing is left to export; nothing is written");
  value_or_throw(write_file(path, exported.pack));
  if (context.flag("json"))
    print_json({{"pack", path},
                {"entries", exported.entries},
                {"contents", exported.contents},
                {"left_out", exported.left_out.size()},
                {"bytes", exported.pack.size()},
                {"signer", key ? key->public_key().hex() : ""}});
  else
    complain("note: {}: {}, {}", one_line(path), entries_text(exported.entries),
             byte_count_text(exported.pack.size()));
  return exported.left_out.empty() ? 0 : 1;
}

// `kiln store import`: the entries of packs into the local store.

constexpr Option import_dry_run =
    Option::flag("dry-run", "Says what would become of each entry, and stores nothing.");

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
        "{}: {}{} imported, {} already there, {} kept as they are here, {} refused\n",
        one_line(pack.path), mode == ImportMode::dry_run ? "dry run: " : "",
        count(ImportOutcome::imported), count(ImportOutcome::present), count(ImportOutcome::kept),
        count(ImportOutcome::refused));
  }
};

/// Imports one pack. Returns its exit code.
int import_one(const Context& context, const Store& store, const std::string& path) {
  const PackFile pack = read_pack_file(path);
  const auto mode = context.flag("dry-run") ? ImportMode::dry_run : ImportMode::write;
  Teller teller{pack, context.flag("json")};
  std::vector<PackEntry> others;
  for (const auto& entry : pack.entries)
    if (const auto outcome = import_used(store, entry, mode))
      teller(entry, *outcome,
             *outcome == ImportOutcome::refused ? "it is not what its key says" : "");
    else
      others.push_back(entry);
  store.import_pack(others, mode, std::ref(teller));
  if (!teller.json) print(teller.text(mode));
  return teller.count(ImportOutcome::refused) > 0 ? 1 : 0;
}

int store_import(Context& context) {
  const Store store = store_of(context);
  return each_pack(context,
                   [&](const std::string& path) { return import_one(context, store, path); });
}

// `kiln store verify-pack`: what is in a pack, and would it be let in here?

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
  return fmt::format("{} in {}", plural(trust.keys.size(), "trusted key"), one_line(trust.origin));
}

void print_pack(const PackFile& pack, const std::vector<std::string>& refusals,
                const Trust& trust) {
  Table table({"key", "kind", "size", "signer", "trusted", "label"});
  for (std::size_t i = 0; i < pack.entries.size(); ++i) {
    const PackEntry& entry = pack.entries[i];
    table.row(entry.head.key.digest.brief(), kiln::name_of(entry.head.kind),
              byte_count_text(entry.head.size), signer_of(entry),
              refusals[i].empty() ? "yes" : "no", one_line(entry.head.metadata.label));
    if (!refusals[i].empty()) complain_of(pack.path, entry_text(entry) + ": " + refusals[i]);
  }
  print(table.text());
  print("{}: {}, whole; {} would be refused here ({})\n", one_line(pack.path),
        entries_text(pack.entries.size()), count_refused(refusals), trust_text(trust));
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

}  // namespace

const Command store_sign_command{
    .name = "store sign",
    .summary = "sign every entry of a pack",
    .description =
        "Signs each entry of a pack (Ed25519), in place of the signature that it may have had: "
        "whoever signs vouches for all of it. Machines that list the public key let the entries "
        "in, from this pack and from wherever else they meet them later. The pack is checked "
        "first; the same pack and key give the same bytes.",
    .options = {{signing_key, options::output, options::json}},
    .positional = Positional::file("PACK", "A pack; - is standard input, and needs --output."),
    .examples = {{"kiln store sign farm.kiln", "Signs with this user's key, in place."},
                 {"kiln store sign --key release.key farm.kiln -o signed.kiln",
                  "With another, into a new file."}},
    .in_place = true,
    .body = store_sign,
};

const Command store_key_command{
    .name = "store key",
    .summary = "make a key pair to sign packs with",
    .description =
        "Makes an Ed25519 key pair in a new file, which only its owner may read, and prints the "
        "public key: 64 letters, a line for the trusted-keys file of machines that are to let in "
        "what is signed with it. Keep the file secret and safe: whoever has it is trusted there.",
    .options = {{show_key, options::json}},
    .positional = Positional::file("FILE", "The key's file.", Access::update),
    .examples = {{"kiln store key ~/.config/kiln/signing-key",
                  "A key pair for what this user signs."},
                 {"kiln store key --show release.key >> trusted-keys",
                  "Lists its public half as trusted."}},
    .body = store_key,
};

const Command store_export_command{
    .name = "store export",
    .summary = "write entries of the store to a pack or a package of Debian",
    .description =
        "Writes a file with entries of the local store, to be taken into the stores of other "
        "machines by kiln store import. It holds programs, plans and what was tuned, but (except "
        "for dates of searches) no times, paths, user or host names: the same entries give the "
        "same bytes everywhere. Equal contents stand in it once.\n\n"
        "KEY is the first letters of keys; without any, all entries are taken that --kind and "
        "--device let through. An entry that is damaged, or that this machine may not use itself, "
        "is left out and named, and the exit code is 1.\n\n"
        "With --used-by the file has what one program needs that was started by kiln exec: on "
        "machines with the same devices and drivers its first start compiles nothing, and for "
        "others kiln prebuild --used-by compiles it. With --kind record it is only the texts and "
        "what is known of them, which is enough for kiln prebuild.\n\n"
        "With --system the file is a package of Debian (.deb) with the same entries as a read-only "
        "store in /usr/share/kiln/store. Where it is installed, the first run of what is in it "
        "starts no compiler, for every user of the machine. It needs dpkg-deb, which every Debian "
        "has.",
    .options = {{options::store, options::kind, options::device_text, options::used_by,
                 sign_entries, signing_key, as_system_store, package_name, package_version,
                 package_maintainer, options::json}},
    .positional = {.value_name = "FILE [KEY]",
                   .help = "The file to write, and the first letters of keys.",
                   .least = 1,
                   .most = 1'000'000,
                   .kind = Kind::file,
                   .access = Access::write,
                   .access_rest = Access::none},
    .examples = {{"kiln store export all.kiln",
                  "Everything that was compiled and tuned here, in one file."},
                 {"kiln store export --sign --kind artifact --device pthread cpu.kiln",
                  "The programs for PoCL's processors, signed."},
                 {"kiln store export --used-by darktable-cli darktable.kiln",
                  "All that one program needs, for other machines and images."},
                 {"kiln store export - | zstd > all.kiln.zst",
                  "Compressed: packs hold contents as they are, and compress well as a whole."},
                 {"kiln store export --system --device pthread --device NVIDIA kernels.deb",
                  "A package with all that two kinds of devices need, for apt install."}},
    .body = store_export,
};

const Command store_import_command{
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
    .options = {{options::store, options::store_size, import_dry_run, options::json}},
    .positional = packs,
    .examples = {{"kiln store import farm.kiln",
                  "From now on what the farm has compiled starts at once."},
                 {"kiln store import --dry-run --json farm.kiln",
                  "What would come in, and what would not?"},
                 {"zstd -dc farm.kiln.zst | kiln store import -",
                  "The same from a compressed file."}},
    .body = store_import,
};

const Command store_verify_pack_command{
    .name = "store verify-pack",
    .summary = "check and list the entries of packs",
    .description =
        "Reads packs as kiln store import does and says of every entry what it is, who signed it, "
        "and whether this machine would let it in, by which list of trusted keys. Nothing is "
        "stored.\n\n"
        "The exit code is 1 where an entry would be refused, 2 where a pack is damaged.",
    .options = {{options::json}},
    .positional = packs,
    .examples = {{"kiln store verify-pack farm.kiln",
                  "Is it whole, who signed it, and does this machine care?"},
                 {"kiln store verify-pack --json farm.kiln | jq -r .label",
                  "What is in it, for a script."}},
    .body = store_verify_pack,
};

}  // namespace kiln::cli
