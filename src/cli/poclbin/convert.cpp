// Program archives made of archives: `kiln poclbin convert`, `merge` and `strip`.
#include <fmt/format.h>

#include "base/data/number.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

// `kiln poclbin convert`: an archive in another format version or layout.

constexpr std::string_view wiki_layout = "wiki-v1";
constexpr std::string_view targets[] = {wiki_layout, "1", "2", "3",  "4",  "5", "6",
                                        "7",         "8", "9", "10", "11", "12"};

poclbin::Converted from_wiki(const Context& context, const ArchiveFile& file,
                             std::uint32_t version) {
  if (!context.has("metadata-from"))
    throw bad_input(
        "{}: the wiki's layout has no device, kernels and arguments: requires --metadata-from with "
        "a real archive",
        file.path);
  const ArchiveFile metadata = read_real_archive(context.text("metadata-from"), "has no metadata");
  return value_or_throw(poclbin::convert_from_wiki(*file.wiki(), *metadata.real(), version));
}

poclbin::Converted convert(const Context& context, const ArchiveFile& file,
                           const std::string& target) {
  if (target == wiki_layout)
    return file.wiki() != nullptr ? poclbin::Converted{file.bytes, {}, {}}
                                  : poclbin::convert_to_wiki(*file.real());
  const auto version = parse_number<std::uint32_t>(target).value();  // the others are numbers
  if (file.wiki() != nullptr) return from_wiki(context, file, version);
  return value_or_throw(poclbin::convert(*file.real(), version));
}

int poclbin_convert(Context& context) {
  const std::string& output = required_output(context);
  if (!context.has("to"))
    throw bad_input("poclbin convert: missing --to, expected wiki-v1 or a version from 1 to 12");
  const ArchiveFile file = read_archive(context.arguments().front());
  const auto converted = convert(context, file, context.text("to"));
  value_or_throw(write_file(output, converted.bytes));
  print_notes(converted.lost, "lost");
  print_notes(converted.notes);
  return 0;
}

// `kiln poclbin merge`: variants of several launches in one archive.

constexpr std::string_view no_kernels = "has no kernels to merge (kiln poclbin convert)";

int poclbin_merge(Context& context) {
  const std::string& output = required_output(context);
  const auto conflict =
      context.flag("keep-first") ? poclbin::Conflict::keep_first : poclbin::Conflict::refuse;
  const auto& paths = context.arguments();
  Bytes merged = read_real_archive(paths.front(), no_kernels).bytes;
  // Where a conflict was resolved the union has a new build hash, but the archives that follow must
  // be compared by the original one.
  const std::string hash(poclbin::parse(merged)->build_hash);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const ArchiveFile other = read_real_archive(paths[i], no_kernels);
    const auto so_far = value_or_throw(poclbin::parse(merged));
    const std::string renewed(so_far.build_hash);
    const Bytes first = poclbin::rewrite(so_far, hash, nullptr);
    Bytes both = value_or_named(paths.front() + " and " + paths[i],
                                poclbin::merge(first, other.bytes, conflict));
    if (renewed != hash && poclbin::parse(both)->build_hash == hash)
      both = poclbin::rewrite(*poclbin::parse(both), renewed, nullptr);
    merged = std::move(both);
  }
  value_or_throw(write_file(output, merged));
  return 0;
}

// `kiln poclbin strip`: an archive without its bitcode.

constexpr std::string_view price =
    "the price: PoCL builds no specialised variant any more (local sizes that the archive lacks "
    "run "
    "the generic function, up to several times slower), the program cannot be linked, and a query "
    "of its binaries aborts the process in PoCL 3.1 to 7.1 builds with asserts";

/// Throws Error (refused) where PoCL could launch nothing without bitcode, and warns where it could
/// only launch some local sizes.
Bytes stripped(const ArchiveFile& file) {
  if (const auto* wiki = file.wiki()) return poclbin::strip(*wiki);
  auto result = value_or_named(file.path, poclbin::strip(*file.real()));
  print_notes(result.notes);
  return std::move(result.bytes);
}

bool has_bitcode(const ArchiveFile& file) {
  return file.wiki() != nullptr ? poclbin::has_bitcode(*file.wiki())
                                : poclbin::has_bitcode(*file.real());
}

int poclbin_strip(Context& context) {
  if (!context.flag("program-bc"))
    throw bad_input("poclbin strip: missing --program-bc: nothing says what to remove");
  const std::string& path = context.arguments().front();
  // In place means to replace the file, which must not happen to a pipe or a device file.
  if (!std::filesystem::is_regular_file(path) && std::filesystem::exists(path))
    required_output(context);
  if (path == standard_input) required_output(context);
  const std::string& output = context.has("output") ? context.text("output") : path;
  const ArchiveFile file = read_archive(path);
  if (!has_bitcode(file)) {
    complain("note: {} has no program.bc", path);
    value_or_throw(write_file(output, file.bytes));
    return 0;
  }
  const Bytes bytes = stripped(file);
  value_or_throw(write_file(output, bytes));
  complain("note: {} bytes instead of {}; {}", bytes.size(), file.bytes.size(), price);
  return 0;
}

}  // namespace

const Command poclbin_convert_command{
    .name = "poclbin convert",
    .summary = "write a program archive in another layout",
    .description =
        "Writes the same files and kernels in another format version, or in the layout of PoCL's "
        "old wiki page, and says on standard error what is lost and what had to be assumed. The "
        "contents of the files stay as they are: code that one PoCL release made does not become "
        "another's.",
    .options =
        {{Option::choice(
              "to", "LAYOUT", targets,
              "A format version of PoCL, 1 to 12, or wiki-v1, the layout of its old wiki page."),
          options::output,
          Option::file("metadata-from", "ARCHIVE",
                       "A real archive whose device, flags and kernels are taken: files in the "
                       "wiki's layout come without any.")}},
    .positional = one_archive,
    .examples =
        {{"kiln poclbin convert --to 11 debian12.poclbin -o newer.poclbin",
          "The layout that PoCL 4.0 to 7.1 write."},
         {"kiln poclbin convert --to 9 --metadata-from real.poclbin page.poclbin -o new.poclbin",
          "From the wiki's layout to a real one."}},
    .body = poclbin_convert,
};

const Command poclbin_merge_command{
    .name = "poclbin merge",
    .summary = "make one program archive of several",
    .description =
        "Writes the union of archives of one program: those of one device, format version, flags "
        "and build hash, with the same kernels. PoCL freezes an archive when it is first asked "
        "for, so the variants of later launches come in archives of their own. A file that two "
        "archives have must be the same in both, or it is a conflict that is named; program.bc is "
        "taken from the first.\n\n"
        "The exit code is 1 where archives cannot be merged.",
    .options = {{options::output,
                 Option::flag(
                     "keep-first",
                     "Where archives differ in a file, the first archive's is kept, and the result "
                     "gets a build hash of its own. Without it, such archives are refused.")}},
    .positional = some_archives,
    .examples = {{"kiln poclbin merge size64.poclbin size128.poclbin -o both.poclbin",
                  "One archive that starts both local sizes without a compiler."}},
    .body = poclbin_merge,
};

const Command poclbin_strip_command{
    .name = "poclbin strip",
    .summary = "drop the bitcode of a program archive",
    .description =
        "Writes the archive without program.bc, under another build hash. It is about half as "
        "large, holds no path of the machine that built it (program.bc has the name of PoCL's "
        "temporary source file, by default in the home folder), and starts without a compiler at "
        "any local size. The price is said on standard error.",
    .options = {{Option::flag("program-bc",
                              "Drops program.bc, the LLVM bitcode of the whole program."),
                 Option::file("output", "FILE",
                              "The file to write. Without it the archive itself is replaced.",
                              Access::write)
                     .with_letter('o')}},
    .positional = one_archive,
    .examples = {{"kiln poclbin strip --program-bc app.poclbin -o small.poclbin",
                  "Half the size, no path of your home folder, and never a compiler."}},
    .in_place = true,
    .body = poclbin_strip,
};

}  // namespace kiln::cli
