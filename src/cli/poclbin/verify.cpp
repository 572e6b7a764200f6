// Can an archive be used: `kiln poclbin verify`, is it safe to hand to PoCL, and `kiln poclbin
// check-device`, will a device of this machine take it?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command/commands.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/poclbin/archive_file.hpp"
#include "device/device.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

// `kiln poclbin verify`.

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
  if (!report.error.empty()) complain("{}: {}", path, report.error);
  for (const auto& problem : report.objects)
    if (strict || !quiet)
      complain("{}{}: byte {}, {}: {}", strict ? "" : "warning: ", path, problem.offset,
               problem.path, problem.reason);
  if (quiet || !report.error.empty()) return;
  std::string verdict =
      strict && !report.objects.empty() ? plural(report.objects.size(), "bad object") : "ok";
  if (!strict && !report.objects.empty())
    verdict += ", " + plural(report.objects.size(), "warning");
  const auto& found = report.verified;
  print("{}: {}; {}, {}, {}\n", path, verdict, layout_text(found.form, found.version),
        plural(found.kernels, "kernel"), plural(found.files, "file"));
}

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

// `kiln poclbin check-device`.

void print_answer(const Context& context, const ArchiveFile& file, const Device& device,
                  const std::string& refusal) {
  if (context.flag("quiet")) return;
  if (!context.flag("json")) {
    print("{}: {}: {}\n", file.path, device.name,
          refusal.empty() ? "accepted" : "refused: " + refusal);
    return;
  }
  const std::uint64_t id = poclbin::device_id(device.pocl_device_string);
  const Json json{{"file", file.path},
                  {"device", device.name},
                  {"accepted", refusal.empty()},
                  {"device_string", device.pocl_device_string},
                  {"device_id", fmt::format("{:#018x}", id)},
                  {"archive_device_id", fmt::format("{:#018x}", file.real()->device_id)},
                  {"archive_version", file.real()->version},
                  {"reason", refusal}};
  print_json(json);
}

int poclbin_check_device(Context& context) {
  std::vector<ArchiveFile> files;
  for (const std::string& path : context.arguments())
    files.push_back(read_real_archive(path, "names no device"));
  const auto devices = value_or_throw(select_devices(context.text("devices")));
  bool all_taken = true;
  for (const ArchiveFile& file : files) {
    bool taken = false;
    for (const auto& device : devices) {
      const std::string refusal = poclbin::device_refusal(*file.real(), device->pocl_device_string,
                                                          device->platform_version);
      taken = taken || refusal.empty();
      print_answer(context, file, *device, refusal);
    }
    all_taken = all_taken && taken;
  }
  return all_taken ? 0 : 1;
}

}  // namespace

const Command poclbin_verify_command{
    .name = "poclbin verify",
    .summary = "check whether a program archive is safe",
    .description =
        "Checks every byte that PoCL trusts without looking: lengths, counts and sizes against "
        "what is there, build hash, names and paths, duplicates, flags, nothing left over. PoCL "
        "crashes on most damaged archives, and writes outside its cache on some. An error has the "
        "byte offset, the field, what was found and what was expected. Nothing of the archive is "
        "loaded or run.\n\n"
        "The exit code is 2 where an archive is bad; warnings leave it 0.",
    .options = {{Option::flag(
                     "objects",
                     "Objects (.so) that PoCL could not load are errors: the ELF header, the "
                     "machine, and the function that PoCL looks up. Without it they are warnings."),
                 Option::text("device-string", "TEXT",
                              "The device that the archive has to be for: what CL_DEVICE_VERSION "
                              "shows after HSTR:. No device is touched."),
                 options::json, Option::flag("quiet", "Prints errors only.").with_letter('q')}},
    .positional = some_archives,
    .examples =
        {{"kiln poclbin verify download.poclbin", "Is this safe to hand to PoCL?"},
         {"kiln poclbin verify --device-string pthread-x86_64-pc-linux-gnu-znver3 x.poclbin",
          "Also: is it for that device?"}},
    .body = poclbin_verify,
};

const Command poclbin_check_device_command{
    .name = "poclbin check-device",
    .summary = "tell whether a device takes a program archive, and why not",
    .description =
        "Compares the archive's device id with that of each device, which is a hash of its device "
        "string, and its format version with those that the installed PoCL reads. PoCL itself "
        "answers every refusal with CL_INVALID_BINARY, and misreads versions newer than its own. "
        "Nothing of the archive is loaded.\n\n"
        "The exit code is 1 where no device takes an archive.",
    .options = {{options::devices, options::json,
                 Option::flag("quiet", "Prints nothing; the exit code tells.").with_letter('q')}},
    .positional = some_archives,
    .examples = {{"kiln poclbin check-device app.poclbin",
                  "Will this machine's PoCL take it, and if not, why?"}},
    .body = poclbin_check_device,
};

}  // namespace kiln::cli
