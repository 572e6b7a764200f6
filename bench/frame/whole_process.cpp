#include "frame/whole_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/clock.hpp"

extern char** environ;

namespace kiln::bench {

namespace {

/// This process's environment with some names replaced.
std::vector<std::string> merged_environment(const Program& program) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const auto name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : program.environment) replaced |= key == name;
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [key, value] : program.environment) merged.push_back(key + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Standard streams to and from /dev/null.
class Silence {
 public:
  Silence() {
    posix_spawn_file_actions_init(&actions_);
    for (int fd : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
    }
  }
  ~Silence() { posix_spawn_file_actions_destroy(&actions_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

tl::expected<double, std::string> time_process(const Program& program) {
  std::vector<std::string> arguments{program.path.string()};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  auto environment = merged_environment(program);
  const auto argv = pointers(arguments), envp = pointers(environment);
  const Silence silence;

  pid_t pid = 0;
  int status = 0;
  const auto start = now_ns();
  const int failed =
      posix_spawn(&pid, program.path.c_str(), silence.get(), nullptr, argv.data(), envp.data());
  if (failed) {
    return not_measured(fmt::format("cannot start {}: {}", program.path.filename().string(),
                                    std::strerror(failed)));
  }
  while (wait4(pid, &status, 0, nullptr) < 0 && errno == EINTR) {
  }
  const auto end = now_ns();

  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return not_measured(fmt::format("{} {} {}", program.path.filename().string(),
                                    WIFEXITED(status) ? "exits" : "dies of signal",
                                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
  }
  return static_cast<double>(end - start) * 1e-6;
}

Sample timed(Program program) {
  return [program = std::move(program)] { return time_process(program); };
}

}  // namespace kiln::bench
