#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "frame/bar.hpp"

namespace kiln::bench {

/// Ranks that a bar starts. Everything here throws kiln::Error with why there is no figure.
struct Ranks {
  int count = 1;
  /// Words of mpirun: where ranks are bound.
  std::vector<std::string> placement = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
};

/// bench-mpi's object (bench/mpi/ranks/cases.hpp). Ranks share the folder's store.
nlohmann::json run_ranks(const Context& context, const Ranks& ranks,
                         const std::vector<std::string>& words);

/// A mesh of airfoil with 3 ALONG OUT cells in a folder that goes with this process; made once.
std::string grid_of(const Context& context, int along, int out);
/// A path in that folder.
std::string scratch_path(const std::string& name);

/// Throws where the machine has fewer.
void need_cores(int cores);
void need_gpus(int gpus);

}  // namespace kiln::bench
