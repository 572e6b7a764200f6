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
  /// How long it may take until it says that it is the helper.
  std::chrono::milliseconds patience{10'000};
  std::filesystem::path keep;  ///< a new folder that gets a copy of the private one; empty: none
};

/// How the helper ended, and its private folder, which goes with this object.
struct HelperRun {
  TemporaryFolder folder;
  ProcessResult result;
  bool by_server = false;
};

/// Runs the helper on a job in a new private folder with an empty cache. Errors: unsupported (there
/// is no helper, or it is another program), io. A program that kept this process waiting and was no
/// helper is not started again. Thread-safe.
Expected<HelperRun> run_helper(const Job& job, const HelperSetting& setting);

}  // namespace kiln::apart
