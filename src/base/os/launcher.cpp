#include "base/os/launcher.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/data/number.hpp"
#include "base/lifetime.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"

namespace kiln {
namespace {

/// As Open MPI's mpirun tells it, those of MPICH and of Slurm, and PMIx.
constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};

/// The same for all ranks of a job on this machine, another one for all others. The launcher's own
/// process is it where no variable is.
std::string job() {
  std::string name = environment("PMIX_NAMESPACE");
  if (name.empty() && !environment("SLURM_STEP_ID").empty())
    name = environment("SLURM_JOB_ID") + "." + environment("SLURM_STEP_ID");
  return name.empty() ? fmt::format("of {}", ::getppid()) : name;
}

/// Whether another process has a name; else `socket` has it, where the system lets it.
bool is_taken(const std::string& name, FileDescriptor& socket) {
  socket = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // After a zero it is no path.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 &&
         errno == EADDRINUSE;
}

struct Words {
  std::mutex mutex;
  std::map<std::string, FileDescriptor, std::less<>> mine;
};

}  // namespace

bool is_launched() {
  for (const char* name : rank_variables)
    if (!environment(name).empty()) return true;
  return false;
}

std::size_t ranks_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const auto count = parse_number<std::size_t>(environment(name))) return *count;
  return environment("PMIX_RANK").empty() ? 1 : 2;
}

std::size_t rank_of_launcher() {
  for (const char* name : rank_variables)
    if (const auto rank = parse_number<std::size_t>(environment(name))) return *rank;
  return 0;
}

bool is_of_launcher(std::string_view entry) {
  for (const char* name : {"OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCAL", "HYDRA_", "SLURM_"})
    if (entry.starts_with(name)) return true;
  return false;
}

bool is_first_of_job(std::string_view word) {
  static NeverDestroyed<Words> words;
  constexpr std::size_t most = 100;  // a socket each
  const std::lock_guard lock(words->mutex);
  if (words->mine.contains(word) || words->mine.size() >= most) return true;
  const std::hash<std::string_view> digest;
  FileDescriptor socket;
  if (is_taken(fmt::format("kiln {} {:016x} {:016x}", ::getuid(), digest(job()), digest(word)),
               socket))
    return false;
  words->mine.emplace(word, std::move(socket));
  return true;
}

}  // namespace kiln
