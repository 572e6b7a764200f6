#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "test_paths.hpp"

/// Real ranks, started by mpirun.
namespace kiln::testing {

struct Ranks {
  ProcessResult result;
  std::vector<pid_t> processes;  ///< of the ranks
  std::string first_line() const { return result.errors.substr(0, result.errors.find('\n')); }
  /// Lines of Kiln's own among those of the launcher.
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::istringstream stream(result.errors);
    for (std::string line; std::getline(stream, line);)
      if (line.starts_with("kiln: ")) found.push_back(line);
    return found;
  }
  std::string all() const { return result.output + result.errors; }
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// KILN_LONG=1: all numbers of ranks, each with all else that is tried.
inline bool is_long() { return std::getenv("KILN_LONG") != nullptr; }
/// `some` of them, or with KILN_LONG `all`.
template <class T>
std::vector<T> long_or(std::vector<T> all, std::vector<T> some) {
  return is_long() ? std::move(all) : std::move(some);
}

/// Open MPI in a container: as root, with more ranks than cores, which leave these to each other
/// where they wait, and with shared memory that needs no right to look into other processes.
inline Variables launcher_variables() {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
          {"OMPI_MCA_mpi_yield_when_idle", "1"},
          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
          {"KILN_STORE", "off"},
          {"ASAN_OPTIONS", "detect_leaks=0"}};
}

inline std::filesystem::path launcher() { return find_in_path("mpirun"); }

/// `mpirun -np COUNT program WORDS…`, for a minute at most.
inline Ranks run_program(int count, const std::string& program,
                         const std::vector<std::string>& words, const Variables& more = {}) {
  ProcessRequest request{.program = launcher(),
                         .arguments = {"-np", std::to_string(count), program}};
  request.arguments.insert(request.arguments.end(), words.begin(), words.end());
  request.environment = launcher_variables();
  for (const auto& [name, value] : more) {
    std::erase_if(request.environment, [&](const auto& known) { return known.first == name; });
    request.environment.emplace_back(name, value);
  }
  request.limit = std::chrono::minutes(2);
  auto result = run_process(request);
  Ranks ranks;
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return ranks;
  }
  ranks.result = std::move(*result);
  EXPECT_FALSE(ranks.result.timed_out) << ranks.all();
  std::istringstream stream(ranks.result.output);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("process ")) ranks.processes.push_back(std::stoi(line.substr(8)));
  return ranks;
}

/// What keeps PoCL from optimising kernels, where it matters how ranks work together and not how
/// fast. Ranks that run `kiln mesh` have kernels as users have them.
inline Variables unoptimised(Variables more = {}) {
  if (!is_long()) more.emplace_back("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable");
  return more;
}

/// The program in tests/mpi/ranks.
inline Ranks run_ranks(int count, const std::vector<std::string>& words,
                       const Variables& more = {}) {
  return run_program(count, KILN_MPI_RANKS, words, unoptimised(more));
}

inline void expect_passed(const Ranks& ranks) {
  EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
  EXPECT_THAT(ranks.result.output, ::testing::HasSubstr("passed")) << ranks.all();
}

/// Whether a process runs. One that has ended, and whose parent does not ask, is not there.
inline bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(") ");
  return name_end != std::string::npos && line[name_end + 2] != 'Z' && line[name_end + 2] != 'X';
}

inline void expect_gone(const Ranks& ranks, int count) {
  EXPECT_EQ(ranks.processes.size(), static_cast<std::size_t>(count)) << ranks.all();
  // The launcher may end before those that it has ended are gone.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (const pid_t process : ranks.processes) {
    while (is_running(process) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_FALSE(is_running(process)) << process;
  }
}

/// Needs a launcher; the library of MPI is there where this was built.
class MpiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (launcher().empty()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
};

}  // namespace kiln::testing
