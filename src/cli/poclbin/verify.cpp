// `kiln poclbin verify`: is this archive safe to hand to PoCL?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_line.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option poclbin_verify_options[] = {
    {.name = "objects",
     .help =
         "Objects (.so) that PoCL could not load are errors: the ELF header, the machine, and the "
         "function that PoCL looks up. Without it they are warnings."},
    {.name = "device-string",
     .kind = Kind::text,
     .value_name = "TEXT",
     .help =
         "The device that the archive has to be for: what CL_DEVICE_VERSION shows after HSTR:. No "
         "device is touched."},
    options::json,
    {.name = "quiet", .help = "Prints errors only.", .letter = 'q'},
};
constexpr Example poclbin_verify_examples[] = {
    {"kiln poclbin verify download.poclbin", "Is this safe to hand to PoCL?"},
    {"kiln poclbin verify --device-string pthread-x86_64-pc-linux-gnu-znver3 x.poclbin",
     "Also: is it for that device?"},
};

/// What is wrong with one file; `error` is empty where it is an archive.
struct ArchiveReport {
  poclbin::Verified verified;
  std::string error;
  std::vector<poclbin::ObjectProblem> objects;
};

ArchiveReport archive_report_on(ByteView bytes, std::optional<std::uint64_t> device) {
  ArchiveReport report;
  const auto verified = poclbin::verify(bytes, device);
  if (!verified) {
    report.error = verified.error().message();
    return report;
  }
  report.verified = *verified;
  if (verified->form == poclbin::Form::wiki) {
    if (device) report.error = "program archive, byte 7, device id: the wiki's layout has none";
    return report;
  }
  report.objects = poclbin::object_problems(*poclbin::parse(bytes), bytes);
  return report;
}

Json json_of(const std::string& path, const ArchiveReport& report, bool good) {
  Json json{{"file", path}, {"ok", good}};
  if (!report.error.empty()) {
    json["error"] = report.error;
    return json;
  }
  json["layout"] = report.verified.form == poclbin::Form::real ? "pocl" : "wiki-v1";
  json["version"] = report.verified.version;
  json["kernels"] = report.verified.kernels;
  json["files"] = report.verified.files;
  json["content_bytes"] = report.verified.content_bytes;
  json["objects"] = Json::array();
  for (const auto& problem : report.objects)
    json["objects"].push_back(
        {{"path", problem.path}, {"offset", problem.offset}, {"reason", problem.reason}});
  return json;
}

void print_archive_findings(const std::string& path, const ArchiveReport& report, bool strict,
                            bool quiet) {
  if (!report.error.empty()) complain(fmt::format("{}: {}", path, report.error));
  for (const auto& problem : report.objects)
    if (strict || !quiet)
      complain(fmt::format("{}{}: byte {}, {}: {}", strict ? "" : "warning: ", path, problem.offset,
                           problem.path, problem.reason));
  if (quiet || !report.error.empty()) return;
  std::string verdict =
      strict && !report.objects.empty() ? plural(report.objects.size(), "bad object") : "ok";
  if (!strict && !report.objects.empty())
    verdict += ", " + plural(report.objects.size(), "warning");
  const auto& found = report.verified;
  print(fmt::format("{}: {}; {}, {}, {}\n", path, verdict, layout_text(found.form, found.version),
                    plural(found.kernels, "kernel"), plural(found.files, "file")));
}

}  // namespace

constinit const Command poclbin_verify_command{
    .name = "poclbin verify",
    .summary = "check whether a program archive is safe",
    .description =
        "Checks every byte that PoCL trusts without looking: lengths, counts and sizes against "
        "what is there, build hash, names and paths, duplicates, flags, nothing left over. PoCL "
        "crashes on most damaged archives, and writes outside its cache on some. An error has the "
        "byte offset, the field, what was found and what was expected. Nothing of the archive is "
        "loaded or run.\n\n"
        "The exit code is 2 where an archive is bad; warnings leave it 0.",
    .options = poclbin_verify_options,
    .positional = some_archives,
    .examples = poclbin_verify_examples,
};

int poclbin_verify(Context& context) {
  const EndsAtOnce reading;
  const bool strict = context.flag("objects"), quiet = context.flag("quiet");
  std::optional<std::uint64_t> device;
  if (context.has("device-string")) device = poclbin::device_id(context.text("device-string"));
  bool all_good = true;
  for (const std::string& path : context.arguments()) {
    const Bytes bytes = read_archive_bytes(path);
    const ArchiveReport report = archive_report_on(bytes, device);
    const bool good = report.error.empty() && (!strict || report.objects.empty());
    all_good = all_good && good;
    if (context.flag("json"))
      print_json(json_of(path, report, good));
    else
      print_archive_findings(path, report, strict, quiet);
  }
  return all_good ? 0 : exit_code(Errc::bad_input);
}

}  // namespace kiln::cli
