// `kiln poclbin merge`: variants of several launches in one archive.
#include <fmt/format.h>

#include "base/file.hpp"
#include "cli/file_options.hpp"
#include "cli/output_file.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"

namespace kiln::cli {
namespace {

constexpr std::string_view no_kernels = "has no kernels to merge (kiln poclbin convert)";

constexpr Option poclbin_merge_options[] = {
    options::output,
    {.name = "keep-first",
     .help = "Where archives differ in a file, the first archive's is kept, and the result gets a "
             "build "
             "hash of its own. Without it, such archives are refused."},
};
constexpr Example poclbin_merge_examples[] = {
    {"kiln poclbin merge size64.poclbin size128.poclbin -o both.poclbin",
     "One archive that starts both local sizes without a compiler."},
};

}  // namespace

constinit const Command poclbin_merge_command{
    .name = "poclbin merge",
    .summary = "make one program archive of several",
    .description =
        "Writes the union of archives of one program: those of one device, format version, flags "
        "and build hash, with the same kernels. PoCL freezes an archive when it is first asked "
        "for, so the variants of later launches come in archives of their own. A file that two "
        "archives have must be the same in both, or it is a conflict that is named; program.bc is "
        "taken from the first.\n\n"
        "The exit code is 1 where archives cannot be merged.",
    .options = poclbin_merge_options,
    .positional = some_archives,
    .examples = poclbin_merge_examples,
};

int poclbin_merge(Context& context) {
  const std::string& output = required_output(context);
  const auto conflict =
      context.flag("keep-first") ? poclbin::Conflict::keep_first : poclbin::Conflict::refuse;
  const auto& paths = context.arguments();
  Bytes merged = read_real_archive(paths.front(), no_kernels).bytes;
  // With a conflict resolved the union has a new hash; what follows is compared with the old one.
  const std::string hash(poclbin::parse(merged)->build_hash);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const ArchiveFile other = read_real_archive(paths[i], no_kernels);
    const auto so_far = value_or_throw(poclbin::parse(merged));
    const std::string renewed(so_far.build_hash);
    const Bytes first = poclbin::rewrite(so_far, hash, nullptr);
    auto both = poclbin::merge(first, other.bytes, conflict);
    if (!both)
      throw Error(both.error().code(),
                  fmt::format("{} and {}: {}", paths.front(), paths[i], both.error().message()));
    if (renewed != hash && poclbin::parse(*both)->build_hash == hash)
      both = poclbin::rewrite(*poclbin::parse(*both), renewed, nullptr);
    merged = std::move(*both);
  }
  value_or_throw(write_file(output, merged));
  return 0;
}

}  // namespace kiln::cli
