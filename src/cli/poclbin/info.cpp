// What is in a program archive: `kiln poclbin info`, `ls` and `diff`.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

// `kiln poclbin info`: what an archive is.

/// The releases that write a format version.
std::string_view writers_of(std::uint32_t version) {
  static const std::map<std::uint32_t, std::string_view> releases{
      {1, "PoCL 0.14"}, {6, "PoCL 1.0 to 1.2"},  {7, "PoCL 1.3 to 1.7"}, {8, "PoCL 1.8 and 3.0"},
      {9, "PoCL 3.1"},  {11, "PoCL 4.0 to 7.1"}, {12, "PoCL 7.2"}};
  const auto found = releases.find(version);
  return found == releases.end() ? "no release" : found->second;
}

std::string flags_text(const poclbin::Archive& archive) {
  if (archive.version < 3) return "none in this version";
  std::string text = (archive.flags & 1) != 0 ? "denormals are flushed" : "denormals are kept";
  if (archive.version < 5) return text;
  switch (archive.flags >> (archive.version < 9 ? 1 : 32)) {
    case 1:
      return "compiled object, " + text;
    case 2:
      return "library, " + text;
    default:
      return "executable, " + text;
  }
}

/// "(float a, float* x)". Names of arguments are the only texts that the reader does not check.
std::string signature(const poclbin::Kernel& kernel) {
  std::string text;
  for (const auto& argument : kernel.arguments)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one_line(argument.type_name),
                        one_line(argument.name));
  return "(" + text + ")";
}

std::string variants_text(const poclbin::Kernel& kernel) {
  std::string text;
  for (const auto& file : kernel.files)
    if (file.path.find("/0-0-0/") != file.path.npos && file.path.ends_with(".so")) text = "generic";
  for (const auto& variant : poclbin::variants(kernel))
    text += (text.empty() ? "" : ", ") + variant.folder();
  return text.empty() ? "none" : text;
}

void print_kernel(const poclbin::Kernel& kernel) {
  print("kernel {}{}\n", kernel.name, signature(kernel));
  if (kernel.required_size != std::array<std::uint64_t, 3>{})
    print(fmt::format("  required size  {}\n", fmt::join(kernel.required_size, " x ")));
  if (!kernel.local_sizes.empty())
    print(fmt::format("  local memory   {} bytes\n", fmt::join(kernel.local_sizes, " + ")));
  print("  variants       {}\n", variants_text(kernel));
}

void print_real(const poclbin::Archive& archive) {
  print("  written by     {}\n", writers_of(archive.version));
  print("  device id      {:#018x}\n", archive.device_id);
  print("  flags          {}\n", flags_text(archive));
  print("  build hash     {}\n", archive.build_hash);
  if (archive.program_scope_bytes)
    print("  program scope  {} bytes\n", *archive.program_scope_bytes);
  print("  code           {}\n", poclbin::code_id(archive).brief());
  for (const auto& files : archive.root)
    for (const auto& file : files)
      print("  root file      {}, {} bytes\n", file.path, file.content.size());
  for (const auto& kernel : archive.kernels) print_kernel(kernel);
}

int poclbin_info(Context& context) {
  for (const std::string& path : context.arguments()) {
    const ArchiveFile file = read_archive(path);
    if (context.flag("json")) {
      auto json = Json::parse(json_of(file));
      json["file"] = path;
      json["bytes"] = file.bytes.size();
      print_json(json);
      continue;
    }
    const auto form = file.real() != nullptr ? poclbin::Form::real : poclbin::Form::wiki;
    const auto version = file.real() != nullptr ? file.real()->version : file.wiki()->version;
    print("{}: {}, {} bytes\n", path, layout_text(form, version), file.bytes.size());
    if (file.real() != nullptr) {
      print_real(*file.real());
    } else {
      print("  base           {}\n", file.wiki()->base);
      print("  files          {}\n", file.wiki()->files.size());
    }
  }
  return 0;
}

// `kiln poclbin ls`: the files in an archive.

int poclbin_ls(Context& context) {
  const ArchiveFile archive = read_archive(context.arguments().front());
  const bool json = context.flag("json");
  Table table({"bytes", "offset", "path"});
  archive.each_file([&](const std::string& kernel, const poclbin::File& file) {
    const auto offset = file.content.data() - archive.bytes.data();
    if (json)
      print_json({{"path", file.path},
                  {"bytes", file.content.size()},
                  {"offset", offset},
                  {"kernel", kernel.empty() ? Json(nullptr) : Json(kernel)}});
    else
      table.row(file.content.size(), offset, file.path);
  });
  if (table.rows() > 0) print(table.text());
  return 0;
}

// `kiln poclbin diff`: are two archives the same code?

poclbin::Differences compare(const ArchiveFile& first, const ArchiveFile& second) {
  if (first.real() != nullptr && second.real() != nullptr)
    return poclbin::diff(*first.real(), *second.real());
  // Both layouts have files: a real archive is compared by its files alone.
  Bytes converted;
  const auto files_of = [&](const ArchiveFile& file) {
    if (file.wiki() != nullptr) return *file.wiki();
    converted = poclbin::convert_to_wiki(*file.real()).bytes;
    return value_or_throw(poclbin::wiki::parse(converted));
  };
  auto found = poclbin::diff(files_of(first), files_of(second));
  if (first.model.index() != second.model.index())
    found.other.insert(found.other.begin(), "the layouts differ: only files are compared");
  return found;
}

int poclbin_diff(Context& context) {
  const ArchiveFile first = read_archive(context.arguments()[0]);
  const ArchiveFile second = read_archive(context.arguments()[1]);
  const auto found = compare(first, second);
  const int code = found.same_code() ? 0 : 1;
  if (context.flag("quiet")) return code;
  if (context.flag("json")) {
    const Json json{{"same_code", found.same_code()}, {"code", found.code}, {"other", found.other}};
    print_json(json);
    return code;
  }
  for (const auto& line : found.code) print(line + "\n");
  for (const auto& line : found.other) print("not code: " + line + "\n");
  print(found.same_code() ? "the same code\n" : "different code\n");
  return code;
}

}  // namespace

const Command poclbin_info_command{
    .name = "poclbin info",
    .summary = "show what a program archive is",
    .description =
        "Shows layout and format version, the device, and each kernel with its arguments and the "
        "local sizes that it holds: those start without a compiler. The code's identity is the "
        "same for two builds of one program. With --json, all of the archive but its contents.",
    .options = {{options::json}},
    .positional = some_archives,
    .examples = {{"kiln poclbin info app.poclbin",
                  "Which device, which kernels, which local sizes?"}},
    .body = poclbin_info,
};

const Command poclbin_ls_command{
    .name = "poclbin ls",
    .summary = "list the files in a program archive",
    .description =
        "Lists every file in the archive's order: its size, the byte offset of its contents, its "
        "path.",
    .options = {{options::json}},
    .positional = one_archive,
    .examples = {{"kiln poclbin ls app.poclbin",
                  "Which files, how large, and where in the archive?"}},
    .body = poclbin_ls,
};

const Command poclbin_diff_command{
    .name = "poclbin diff",
    .summary = "tell whether two program archives are the same code",
    .description =
        "Compares the device, the kernels' arguments and sizes, and every file. What does not "
        "change the code is listed and does not count: format version, flags, build hash, the "
        "order of records, and program.bc, which holds the name of a temporary file and so differs "
        "from build to build.\n\n"
        "The exit code is 1 where the code differs.",
    .options = {{options::json,
                 Option::flag("quiet", "Prints nothing; the exit code tells.").with_letter('q')}},
    .positional = Positional::files("FILE", "The two archives.", 2, 2),
    .examples = {{"kiln poclbin diff monday.poclbin tuesday.poclbin", "Is it the same code?"}},
    .body = poclbin_diff,
};

}  // namespace kiln::cli
