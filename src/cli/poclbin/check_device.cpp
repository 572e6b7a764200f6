// `kiln poclbin check-device`: will a device of this machine take the archive?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"
#include "cli/poclbin/commands.hpp"
#include "cli/poclbin/files.hpp"
#include "device/device.hpp"
#include "format/poclbin/release.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option poclbin_check_device_options[] = {
    options::devices,
    options::json,
    {.name = "quiet", .help = "Prints nothing; the exit code tells.", .letter = 'q'},
};
constexpr Example poclbin_check_device_examples[] = {
    {"kiln poclbin check-device app.poclbin", "Will this machine's PoCL take it, and if not, why?"},
};

void print_answer(const Context& context, const ArchiveFile& file, const Device& device,
                  const std::string& refusal) {
  if (context.flag("quiet")) return;
  if (!context.flag("json")) {
    print(fmt::format("{}: {}: {}\n", file.path, device.name,
                      refusal.empty() ? "accepted" : "refused: " + refusal));
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

}  // namespace

constinit const Command poclbin_check_device_command{
    .name = "poclbin check-device",
    .summary = "tell whether a device takes a program archive, and why not",
    .description =
        "Compares the archive's device id with that of each device, which is a hash of its device "
        "string, and its format version with those that the installed PoCL reads. PoCL itself "
        "answers every refusal with CL_INVALID_BINARY, and misreads versions newer than its own. "
        "Nothing of the archive is loaded.\n\n"
        "The exit code is 1 where no device takes an archive.",
    .options = poclbin_check_device_options,
    .positional = some_archives,
    .examples = poclbin_check_device_examples,
};

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

}  // namespace kiln::cli
