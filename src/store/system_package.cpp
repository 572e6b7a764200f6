#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "kiln/version.hpp"
#include "store/default_store.hpp"
#include "store/pack.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

/// The name under which packages that bring a system store exclude one another: they would have the
/// same files.
constexpr std::string_view common_name = "kiln-system-store";

constexpr std::string_view lower_case = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view upper_case = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view digits = "0123456789";

/// Whether a text begins with one of `first` and has only these, the lower-case letters, digits and
/// `others` in it.
bool is_made_of(std::string_view text, std::string_view first, std::string_view others) {
  const std::string all = fmt::format("{}{}{}", lower_case, digits, others);
  return !text.empty() && first.find(text.front()) != first.npos &&
         text.find_first_not_of(all) == text.npos;
}

/// Names and versions of packages are parts of names of files, which dpkg makes longer.
constexpr std::size_t longest_field = 128;

Error field_error(std::string_view field, std::string_view found, std::string_view expected) {
  return {Errc::bad_input, fmt::format("package {}: found '{}', expected {}", field,
                                       shortened(found, longest_field), expected)};
}

/// Whether a package of this name would replace one of Kiln's own (debian/control).
bool is_of_kiln(std::string_view name) {
  return name == "kiln" || name == "kiln-doc" || name.starts_with("libkiln") ||
         name.starts_with("libclblas");
}

/// NAME <LOCAL@DOMAIN>, in one line of UTF-8 that hides nothing.
bool is_maintainer(std::string_view text) {
  if (one_line(text) != text || !text.ends_with('>')) return false;
  text.remove_suffix(1);
  const auto open = text.find(" <");
  if (open == text.npos) return false;
  const auto name = text.substr(0, open), address = text.substr(open + 2);
  const auto at = address.find('@');
  return !name.empty() && name.front() != ' ' && name.back() != ' ' &&
         name.find_first_of("<>") == name.npos && at != address.npos && at != 0 &&
         at + 1 < address.size() && address.find_first_of(" <>") == address.npos &&
         address.find('@', at + 1) == address.npos;
}

/// Throws Error (bad_input) for what Debian Policy (5.6.1, 5.6.2, 5.6.12) does not allow, and for
/// Kiln's own packages, which apt would take the written one for.
void check_fields(const SystemPackage& package) {
  const std::string letters = fmt::format("{}{}", lower_case, digits);
  if (package.name.size() < 2 || package.name.size() > longest_field ||
      !is_made_of(package.name, letters, "+-."))
    throw field_error("name", package.name,
                      "2 to 128 of a-z, 0-9, +, - and ., a letter or digit first");
  if (is_of_kiln(package.name))
    throw field_error("name", package.name, "one that is no package of Kiln's own");
  if (package.version.size() > longest_field ||
      !is_made_of(package.version, digits, fmt::format("{}+.~", upper_case)))
    throw field_error("version", package.version,
                      "at most 128 letters, digits, +, . and ~, a digit first");
  if (!is_maintainer(package.maintainer))
    throw field_error("maintainer", package.maintainer, "NAME <ADDRESS>");
}

/// This version of Kiln and the time: of two packages the later one is the newer one.
std::string version_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{}+{:%Y%m%d.%H%M%S}", kiln::version(), utc);
}

fs::path required_program(const char* name) {
  auto program = find_in_path(name);
  if (program.empty())
    throw Error(Errc::unsupported,
                fmt::format("missing program {}, of Debian's package dpkg, which writes the "
                            "package: no folder of PATH has it",
                            name));
  return program;
}

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// What a program prints. Throws Error (io) with what it says where it fails.
std::string output_of(const fs::path& program, std::vector<std::string> arguments) {
  ProcessRequest request;
  request.program = program;
  request.arguments = std::move(arguments);
  request.environment = {{"LC_ALL", "C.UTF-8"}};
  constexpr std::chrono::minutes limit{10};
  request.limit = limit;
  const auto result = value_or_throw(run_process(request));
  if (result.timed_out)
    throw Error(Errc::io, fmt::format("{} was stopped: found no end after {} minutes",
                                      program.filename().string(), limit.count()));
  if (result.signal != 0 || result.exit_code != 0)
    throw Error(Errc::io, fmt::format("{} failed: {}", program.filename().string(),
                                      one_line(without_last_newline(result.errors))));
  return without_last_newline(result.output);
}

/// Entries that are signed stay so, and are held against the list of trusted keys where they are
/// used. Others are as those that root has made: who may install packages is trusted anyway.
void put_entry(LocalStore& store, const PackEntry& entry) {
  Metadata metadata = entry.head.metadata;
  metadata.signature = entry.signature;
  metadata.made_elsewhere = entry.signature.has_value();
  value_or_throw(
      store.put(entry.head.kind, entry.head.key, entry.head.canonical, entry.content, metadata));
}

/// The devices that entries are for, a line each, as the description of a package lists them.
std::string device_lines(const std::vector<PackEntry>& entries) {
  std::set<std::string> devices;
  for (const auto& entry : entries)
    if (const auto& device = entry.head.metadata.fingerprint; !device.empty())
      devices.insert(one_line(device));
  std::string lines;
  for (const auto& device : devices) lines += fmt::format("  {}\n", device);
  return lines.empty() ? "  any\n" : lines;
}

std::string control_text(const SystemPackage& package, const ExportedSystemStore& exported,
                         std::uint64_t bytes, const std::string& devices) {
  return fmt::format(
      "Package: {}\nVersion: {}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {}\n"
      "Section: misc\nPriority: optional\nEnhances: kiln, libkiln0\n"
      "Provides: {}\nConflicts: {}\nReplaces: {}\n"
      "Description: OpenCL programs that Kiln need not compile\n"
      " A read-only store for Kiln, with {} programs, plans and records. A run that asks\n"
      " for one of them starts no compiler. They are for these devices and drivers:\n{}",
      package.name, package.version, exported.architecture, package.maintainer,
      (bytes + 1023) / 1024, common_name, common_name, common_name, exported.entries, devices);
}

constexpr std::string_view copyright_text =
    "This package was made by `kiln store export --system`. What it holds was compiled\n"
    "or measured from kernels, and stands under the licences of these.\n";

void write_new(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  value_or_throw(write_new_file(file, as_bytes(text)));
}

/// A store is its owner's alone; a package's is root's, for all to read. Returns the bytes of all
/// files.
std::uint64_t open_to_readers(const fs::path& tree) {
  std::uint64_t bytes = 0;
  fs::permissions(tree, fs::perms(0755));
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0755) : fs::perms(0644));
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

ExportedSystemStore write_package(LocalStore& store,
                                  const std::function<bool(const EntryInfo&)>& wanted,
                                  SystemPackage package, const SigningKey* key,
                                  const fs::path& file) {
  if (package.version.empty()) package.version = version_now();
  check_fields(package);
  const auto dpkg_deb = required_program("dpkg-deb"), dpkg = required_program("dpkg");
  ExportedSystemStore exported;
  exported.name = package.name;
  exported.version = package.version;
  exported.architecture = output_of(dpkg, {"--print-architecture"});

  const ExportedPack pack = value_or_throw(export_pack(store, wanted, key));
  exported.left_out = pack.left_out;
  exported.entries = pack.entries;
  if (pack.entries == 0)
    throw Error(Errc::not_found, "no entry of the store fits; nothing is written");
  const auto entries = value_or_throw(read_pack(pack.pack));

  const auto work = value_or_throw(TemporaryFolder::create("kiln-package"));
  // What begins with - would be an option.
  const fs::path folder_of_work = fs::absolute(work.path());
  const fs::path tree = folder_of_work / "tree", made = folder_of_work / "made.deb";
  const fs::path folder = tree / fs::path(default_system_store).relative_path();
  fs::create_directories(folder);
  {
    LocalStore system(folder.string());
    system.leave_failures_to_caller();
    for (const auto& entry : entries) put_entry(system, entry);
  }
  // It stays from one transaction to the next, with nothing in it.
  fs::remove(folder / "store.db-journal");
  write_new(tree / "usr/share/doc" / package.name / "copyright", copyright_text);
  const std::uint64_t bytes = open_to_readers(tree);
  write_new(tree / "DEBIAN/control", control_text(package, exported, bytes, device_lines(entries)));
  open_to_readers(tree);
  output_of(dpkg_deb, {"--root-owner-group", "-Zxz", "--build", tree.string(), made.string()});
  const Bytes content = value_or_throw(read_file(made));
  exported.bytes = content.size();
  value_or_throw(write_file(file, content));
  return exported;
}

}  // namespace

Expected<ExportedSystemStore> write_system_package(
    LocalStore& store, const std::function<bool(const EntryInfo&)>& wanted,
    const SystemPackage& package, const SigningKey* key, const fs::path& file) {
  return expected_from([&] {
    try {
      return write_package(store, wanted, package, key, file);
    } catch (const fs::filesystem_error& error) {
      throw Error(Errc::io, error.what());
    }
  });
}

}  // namespace kiln
