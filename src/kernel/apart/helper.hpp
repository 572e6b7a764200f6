#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "kernel/apart/job.hpp"

namespace kiln::apart {

struct HelperSetting {
  std::vector<std::pair<std::string, std::string>> environment;  ///< besides the cache folder's
  std::chrono::milliseconds limit{120'000};
  bool shared = false;  ///< the compile server may do it (KILN_COMPILE_SERVER=off: it may not)
  std::filesystem::path keep;  ///< a new folder that gets a copy of the private one; empty: none
};

/// How the helper ended, and its private folder, which goes with this object.
struct HelperRun {
  TemporaryFolder folder;
  ProcessResult result;
};

/// Runs the helper on a job in a new private folder with an empty cache. Errors: unsupported (there
/// is no helper), io. Thread-safe.
Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting);

}  // namespace kiln::apart
