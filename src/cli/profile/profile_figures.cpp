#include <fmt/format.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/profile/profile.hpp"
#include "device/device.hpp"

// What is known of a profile only by this process: operations of its kernels, roofs of its devices.
namespace kiln::cli::profile {
namespace {

constexpr std::uint64_t longest_text = 1 << 24;

void give_reason(OperationCount& operations, const std::string& kernel, std::string reason) {
  operations = {kernel, 0, 0, std::move(reason)};
}

/// Counts the operations of a program's kernels.
void count_in(Profile& profile, std::size_t number) {
  const ProfiledProgram& program = profile.programs[number];
  std::vector<ProfiledKernel*> kernels;
  std::vector<std::string> names;
  for (auto& kernel : profile.kernels)
    if (kernel.program == number) {
      kernels.push_back(&kernel);
      names.push_back(kernel.name);
    }
  if (kernels.empty()) return;
  std::string problem = "the program has no text";
  if (program.has_text) {
    const auto text = read_text(profile.folder / (program.identity + ".cl"), longest_text);
    const auto counted =
        text ? count_operations(*text, program.options, names)
             : Expected<std::vector<OperationCount>>(fail(Errc::io, text.error().message()));
    if (counted) {
      for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i]->operations = (*counted)[i];
      return;
    }
    problem = counted.error().message();
  }
  for (ProfiledKernel* kernel : kernels)
    give_reason(kernel->operations, kernel->name, one_line(problem));
}

/// A device of this process that is the same; null where there is none.
DevicePtr same_device(const std::vector<DevicePtr>& all, const ProfiledDevice& device) {
  const auto found = std::ranges::find_if(all, [&](const DevicePtr& here) {
    return here->name == device.name && here->driver_version == device.driver_version &&
           here->platform_version == device.platform_version;
  });
  return found == all.end() ? nullptr : *found;
}

}  // namespace

void count_operations_of(Profile& profile) {
  for (std::size_t number = 0; number < profile.programs.size(); ++number) try {
      count_in(profile, number);
    } catch (const std::exception& error) {
      for (auto& kernel : profile.kernels)
        if (kernel.program == number)
          give_reason(kernel.operations, kernel.name, one_line(error.what()));
    }
}

void measure_roofs(Profile& profile, DriverFindings& findings) {
  const auto all = all_devices().value_or(std::vector<DevicePtr>{});
  for (auto& device : profile.devices) {
    const DevicePtr here = same_device(all, device);
    if (here == nullptr) {
      profile.notes.push_back(
          fmt::format("{} was not found again: its roofs are not known.", device.name));
      continue;
    }
    try {
      device.roofs = device_roofs(findings, here);
    } catch (const std::exception& error) {
      profile.notes.push_back(fmt::format("The roofs of {} could not be measured: {}.", device.name,
                                          one_line(error.what())));
    }
  }
}

}  // namespace kiln::cli::profile
