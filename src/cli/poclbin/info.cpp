// `kiln poclbin info`: what an archive is.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/common_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/description.hpp"
#include "format/poclbin/compare.hpp"

namespace kiln::cli {
namespace {

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

/// "(float a, float* x)". Names of arguments are the only texts that the reader lets through
/// unseen.
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
      auto json = describe(file);
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

}  // namespace kiln::cli
