#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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
/// Makes the driver load what every compilation needs, for the jobs of processes forked from this.
/// Leaves files in the current folder.
void load_kernel_libraries();
/// Removes the folder of a job whose client is gone. Nothing but a folder made for a job.
void remove_job_folder(const std::filesystem::path& folder);

/// The smallest shared object that exports PoCL's entry symbol of a kernel and holds no code.
///
/// PoCL's binary query compiles a generic function for every kernel (as long as the kernel's own
/// compile) unless its object is already in the cache folder. It only loads that object and looks
/// its symbol up, and never calls it while the archive has bitcode; so the helper plants this in
/// its place, and takes it out of the archive again.
Bytes stub_object(std::string_view kernel);

}  // namespace kiln::apart
