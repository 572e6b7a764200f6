// `kiln poclbin diff`: are two archives the same code?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"
#include "format/poclbin/compare.hpp"
#include "format/poclbin/convert.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

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
  // What both layouts have is files: a real archive is compared as its files.
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
