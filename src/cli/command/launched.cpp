// Ranks of `kiln mesh …` that have the same words say once what is wrong with them.
#include "cli/command/launched.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <thread>

#include "base/data/number.hpp"
#include "base/os/environment.hpp"

namespace kiln::cli {
namespace {

/// As Open MPI's mpirun tells it, those of MPICH and of Slurm, and PMIx.
std::size_t rank_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const auto rank = kiln::parse_number<std::size_t>(environment(name))) return *rank;
  return 0;
}

constexpr int hidden_streams[] = {STDOUT_FILENO, STDERR_FILENO};
int kept_streams[] = {-1, -1};

}  // namespace

std::size_t ranks_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const auto count = kiln::parse_number<std::size_t>(environment(name))) return *count;
  return environment("PMIX_RANK").empty() ? 1 : 2;
}

LaunchedRank::LaunchedRank(int count, char** words) {
  if (count < 2 || std::string_view(words[1]) != "mesh") return;
  if (ranks_of_launcher() == 1 || rank_of_launcher() == 0) return;
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  for (const int stream : hidden_streams) {
    kept_streams[stream - 1] = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
    ::dup2(nowhere, stream);
  }
  ::close(nowhere);
  is_silent_ = true;
}

void LaunchedRank::speak() {
  for (const int stream : hidden_streams) {
    int& was = kept_streams[stream - 1];
    if (was < 0) continue;
    ::dup2(was, stream);
    ::close(was);
    was = -1;
  }
}

int LaunchedRank::end(int code) const {
  if (is_silent_ && code != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  return code;
}

}  // namespace kiln::cli
