// `kiln poclbin convert`: an archive in another format version or layout.
#include "format/poclbin/convert.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/file.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view wiki_layout = "wiki-v1";
constexpr std::string_view targets[] = {wiki_layout, "1", "2", "3",  "4",  "5", "6",
                                        "7",         "8", "9", "10", "11", "12"};
constexpr Option poclbin_convert_options[] = {
    {.name = "to",
     .kind = Kind::choice,
     .value_name = "LAYOUT",
     .help = "A format version of PoCL, 1 to 12, or wiki-v1, the layout of its old wiki page.",
     .choices = targets},
    options::output,
    {.name = "metadata-from",
     .kind = Kind::file,
     .value_name = "ARCHIVE",
     .help = "A real archive whose device, flags and kernels are taken: files in the wiki's layout "
             "come "
             "without any."},
};
constexpr Example poclbin_convert_examples[] = {
    {"kiln poclbin convert --to 11 debian12.poclbin -o newer.poclbin",
     "The layout that PoCL 4.0 to 7.1 write."},
    {"kiln poclbin convert --to 9 --metadata-from real.poclbin page.poclbin -o new.poclbin",
     "From the wiki's layout to a real one."},
};

poclbin::Converted from_wiki(const Context& context, const ArchiveFile& file,
                             std::uint32_t version) {
  if (!context.has("metadata-from"))
    throw Error(Errc::bad_input,
                fmt::format("{}: the wiki's layout has no device, kernels and arguments: "
                            "requires --metadata-from with a real archive",
                            file.path));
  const ArchiveFile metadata = read_real_archive(context.text("metadata-from"), "has no metadata");
  return value_or_throw(poclbin::convert_from_wiki(*file.wiki(), *metadata.real(), version));
}

poclbin::Converted convert(const Context& context, const ArchiveFile& file,
                           const std::string& target) {
  if (target == wiki_layout)
    return file.wiki() != nullptr ? poclbin::Converted{file.bytes, {}, {}}
                                  : poclbin::convert_to_wiki(*file.real());
  std::uint32_t version = 0;
  std::from_chars(target.data(), target.data() + target.size(), version);
  if (file.wiki() != nullptr) return from_wiki(context, file, version);
  return value_or_throw(poclbin::convert(*file.real(), version));
}

}  // namespace

constinit const Command poclbin_convert_command{
    .name = "poclbin convert",
    .summary = "write a program archive in another layout",
    .description =
        "Writes the same files and kernels in another format version, or in the layout of PoCL's "
        "old wiki page, and says on standard error what is lost and what had to be assumed. The "
        "contents of the files stay as they are: code that one PoCL release made does not become "
        "another's.",
    .options = poclbin_convert_options,
    .positional = one_archive,
    .examples = poclbin_convert_examples,
};

int poclbin_convert(Context& context) {
  const std::string& output = required_output(context);
  if (!context.has("to"))
    throw Error(Errc::bad_input,
                "poclbin convert: missing --to, expected wiki-v1 or a version from 1 to 12");
  const ArchiveFile file = read_archive(context.arguments().front());
  const auto converted = convert(context, file, context.text("to"));
  value_or_throw(write_file(output, converted.bytes));
  for (const std::string& loss : converted.lost) complain("lost: " + loss);
  for (const std::string& note : converted.notes) complain("note: " + note);
  return 0;
}

}  // namespace kiln::cli
