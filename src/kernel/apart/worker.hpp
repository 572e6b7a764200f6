#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "kernel/apart/job.hpp"

// What the helper does, whether for one job or as a worker of the compile server.
namespace kiln::apart {

/// The helper's whole work, in the current folder; ends with the parent. Writes the greeting, and
/// artifact_file or log_file. Returns an ExitCode.
int run_job();
/// The same in a worker of the compile server, which sees to its end. The driver remembers what it
/// has compiled and loaded by the program's hash and would not do it again: `salt`, which no other
/// job of the process has, gives each program a hash of its own.
int do_job_here(const std::string& salt);
/// The device of a job, which the library means; in the helper there may be others. Throws
/// kiln::Error.
DevicePtr device_of(const std::string& fingerprint);
/// Makes the driver load what every compilation needs, for the jobs of processes forked from this.
/// Leaves files in the current folder.
void load_kernel_libraries();
/// Removes the folder of a job whose client is gone. Nothing but a folder made for a job.
void remove_job_folder(const std::filesystem::path& folder);

}  // namespace kiln::apart
