#include "mpi/ending.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/data/number.hpp"
#include "base/os/launcher.hpp"

namespace kiln::mpi {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Writes a line to standard error, and waits until the launcher has read it: it says itself that
/// ranks were ended, which is to come after the reason.
void say(std::string_view line) {
  const std::string text = fmt::format("{}\n", line);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
  const auto end = std::chrono::steady_clock::now() + 1s;
  int unread = 0;
  while (::ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(100us);
  // And until it has passed it on.
  std::this_thread::sleep_for(50ms);
}

/// Waits until the rank that speaks has spoken, for five seconds at most, and gives its exit code.
int exit_code_of_speaker(std::atomic_ref<int> verdict, int own) {
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (verdict.load() == 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  const int said = verdict.load();
  return said >= 2 ? said - 2 : own;
}

bool is_traced(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  constexpr std::string_view key = "TracerPid:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return line.find_first_not_of(" \t0", key.size()) != std::string::npos;
  return false;
}

/// By a signal, not by a debugger.
bool is_halted(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < line.size() && line[name_end + 2] == 'T';
}

/// Processes of the same user that run the same program: the ranks of this machine are among them.
std::vector<pid_t> processes_of_program() {
  std::vector<pid_t> found;
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto process = parse_number<pid_t>(entry.path().filename().string());
    struct stat status {};
    if (!process || ::stat(entry.path().c_str(), &status) != 0 || status.st_uid != ::geteuid())
      continue;
    if (fs::read_symlink(entry.path() / "exe", error) == own && !error) found.push_back(*process);
  }
  return found;
}

std::vector<pid_t> processes_of(const RanksHere& here) {
  return here.processes.empty() ? processes_of_program() : here.processes;
}

}  // namespace

int say_end(const RanksHere& here, int exit_code, std::string_view line) {
  static std::atomic_flag is_ending;
  // Another thread of this process has said why, and ends it.
  while (is_ending.test_and_set()) std::this_thread::sleep_for(1s);
  if (here.verdict == nullptr) {
    const bool speaks = is_first_of_job("why MPI ends");
    if (speaks) say(line);
    // It is first while it lives: those whose limit is near are to find it. When it has ended the
    // launcher ends the others.
    std::this_thread::sleep_for(speaks ? 300ms : 2000ms);
    return exit_code;
  }
  int spoken = 0;
  const std::atomic_ref verdict(*here.verdict);
  if (!verdict.compare_exchange_strong(spoken, 1)) return exit_code_of_speaker(verdict, exit_code);
  say(line);
  verdict.store(2 + exit_code);
  return exit_code;
}

void end_process(const RanksHere& here, int exit_code, std::string_view line) {
  ::_exit(say_end(here, exit_code, line));
}

bool debugger_holds(const RanksHere& here) {
  for (const pid_t process : processes_of(here))
    if (is_traced(process)) return true;
  return false;
}

std::string stopped_text(const RanksHere& here) {
  std::vector<int> ranks;
  const std::vector<pid_t> processes = processes_of(here);
  for (std::size_t at = 0; at < processes.size(); ++at)
    if (is_halted(processes[at]))
      ranks.push_back(here.processes.empty() ? processes[at] : here.ranks[at]);
  if (ranks.empty()) return {};
  const char* verb = ranks.size() == 1 ? "is" : "are";
  if (!here.processes.empty()) return fmt::format("; {} {} stopped", name_ranks(ranks), verb);
  return fmt::format("; process {} {} stopped", fmt::join(ranks, ", "), verb);
}

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  const std::size_t shown = ranks.size() > most ? most : ranks.size() - 1;
  const std::string last = ranks.size() > most ? fmt::format("{} others", ranks.size() - most)
                                               : fmt::to_string(ranks.back());
  return fmt::format(
      "ranks {} and {}",
      fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "), last);
}

}  // namespace kiln::mpi
