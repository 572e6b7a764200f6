// What is in a program archive: `kiln poclbin info`, `ls` and `diff`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

// `kiln poclbin info`: what an archive is.

constexpr Option poclbin_info_options[] = {options::json};
constexpr Example poclbin_info_examples[] = {
    {"kiln poclbin info app.poclbin", "Which device, which kernels, which local sizes?"},
};

/// The releases that write a format version.
std::string_view writers_of(std::uint32_t version) {
  switch (version) {
    case 1:
      return "PoCL 0.14";
    case 6:
      return "PoCL 1.0 to 1.2";
    case 7:
      return "PoCL 1.3 to 1.7";
    case 8:
      return "PoCL 1.8 and 3.0";
    case 9:
      return "PoCL 3.1";
    case 11:
      return "PoCL 4.0 to 7.1";
    case 12:
      return "PoCL 7.2";
    default:
      return "no release";
  }
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
  print(fmt::format("kernel {}{}\n", kernel.name, signature(kernel)));
  if (kernel.required_size != std::array<std::uint64_t, 3>{})
    print(fmt::format("  required size  {}\n", fmt::join(kernel.required_size, " x ")));
  if (!kernel.local_sizes.empty())
    print(fmt::format("  local memory   {} bytes\n", fmt::join(kernel.local_sizes, " + ")));
  print(fmt::format("  variants       {}\n", variants_text(kernel)));
}

void print_real(const poclbin::Archive& archive) {
  print(fmt::format("  written by     {}\n", writers_of(archive.version)));
  print(fmt::format("  device id      {:#018x}\n", archive.device_id));
  print(fmt::format("  flags          {}\n", flags_text(archive)));
  print(fmt::format("  build hash     {}\n", archive.build_hash));
  if (archive.program_scope_bytes)
    print(fmt::format("  program scope  {} bytes\n", *archive.program_scope_bytes));
  print(fmt::format("  code           {}\n", poclbin::code_id(archive).brief()));
  for (const auto& files : archive.root)
    for (const auto& file : files)
      print(fmt::format("  root file      {}, {} bytes\n", file.path, file.content.size()));
  for (const auto& kernel : archive.kernels) print_kernel(kernel);
}

}  // namespace

constinit const Command poclbin_info_command{
    .name = "poclbin info",
    .summary = "show what a program archive is",
    .description =
        "Shows layout and format version, the device, and each kernel with its arguments and the "
        "local sizes that it holds: those start without a compiler. The code's identity is the "
        "same for two builds of one program. With --json, all of the archive but its contents.",
    .options = poclbin_info_options,
    .positional = some_archives,
    .examples = poclbin_info_examples,
};

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
    print(fmt::format("{}: {}, {} bytes\n", path, layout_text(form, version), file.bytes.size()));
    if (file.real() != nullptr) {
      print_real(*file.real());
    } else {
      print(fmt::format("  base           {}\n", file.wiki()->base));
      print(fmt::format("  files          {}\n", file.wiki()->files.size()));
    }
  }
  return 0;
}

namespace {

// `kiln poclbin ls`: the files in an archive.

constexpr Option poclbin_ls_options[] = {options::json};
constexpr Example poclbin_ls_examples[] = {
    {"kiln poclbin ls app.poclbin", "Which files, how large, and where in the archive?"},
};

/// One line of the list.
struct Line {
  std::string kernel;  ///< "" for a root file
  const poclbin::File* file;
};

std::vector<Line> lines_of(const ArchiveFile& archive) {
  std::vector<Line> lines;
  const auto add = [&](const std::string& kernel, const std::vector<poclbin::File>& files) {
    for (const auto& file : files) lines.push_back({kernel, &file});
  };
  if (archive.wiki() != nullptr) {
    add("", archive.wiki()->files);
    return lines;
  }
  for (const auto& root : archive.real()->root) add("", root);
  for (const auto& kernel : archive.real()->kernels) add(std::string(kernel.name), kernel.files);
  return lines;
}

std::size_t offset_of(const ArchiveFile& archive, const poclbin::File& file) {
  return static_cast<std::size_t>(file.content.data() - archive.bytes.data());
}

}  // namespace

constinit const Command poclbin_ls_command{
    .name = "poclbin ls",
    .summary = "list the files in a program archive",
    .description =
        "Lists every file in the archive's order: its size, the byte offset of its contents, its "
        "path.",
    .options = poclbin_ls_options,
    .positional = one_archive,
    .examples = poclbin_ls_examples,
};

int poclbin_ls(Context& context) {
  const ArchiveFile archive = read_archive(context.arguments().front());
  const auto lines = lines_of(archive);
  if (context.flag("json")) {
    for (const Line& line : lines) {
      const Json json{{"path", line.file->path},
                      {"bytes", line.file->content.size()},
                      {"offset", offset_of(archive, *line.file)},
                      {"kernel", line.kernel.empty() ? Json(nullptr) : Json(line.kernel)}};
      print_json(json);
    }
    return 0;
  }
  Table table({"bytes", "offset", "path"});
  for (const Line& line : lines)
    table.row({std::to_string(line.file->content.size()),
               std::to_string(offset_of(archive, *line.file)), std::string(line.file->path)});
  if (table.rows() > 0) print(table.text());
  return 0;
}

namespace {

// `kiln poclbin diff`: are two archives the same code?

constexpr Option poclbin_diff_options[] = {
    options::json,
    {.name = "quiet", .help = "Prints nothing; the exit code tells.", .letter = 'q'},
};
constexpr Example poclbin_diff_examples[] = {
    {"kiln poclbin diff monday.poclbin tuesday.poclbin", "Is it the same code?"},
};

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

}  // namespace

constinit const Command poclbin_diff_command{
    .name = "poclbin diff",
    .summary = "tell whether two program archives are the same code",
    .description =
        "Compares the device, the kernels' arguments and sizes, and every file. What does not "
        "change the code is listed and does not count: format version, flags, build hash, the "
        "order of records, and program.bc, which holds the name of a temporary file and so differs "
        "from build to build.\n\n"
        "The exit code is 1 where the code differs.",
    .options = poclbin_diff_options,
    .positional = {.value_name = "FILE",
                   .help = "The two archives.",
                   .least = 2,
                   .most = 2,
                   .kind = Kind::file},
    .examples = poclbin_diff_examples,
};

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

}  // namespace kiln::cli
