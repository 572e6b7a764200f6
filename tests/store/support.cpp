#include "store/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>

#include "base/log.hpp"

namespace kiln::testing {

namespace fs = std::filesystem;

Sample::Sample(int number)
    : canonical(CanonicalWriter("sample").integer("number", number).view()),
      key(key_of(canonical)) {}

Bytes content_of(int number, int version, std::size_t size) {
  std::minstd_rand random(static_cast<unsigned>(number * 7919 + version * 104729 + 1));
  Bytes content(size);
  for (auto& byte : content) byte = static_cast<std::byte>(random() >> 8);
  return content;
}

namespace {

TemporaryFolder folder_in(TestFolder::Place place) {
  const char* memory = "/dev/shm";
  const char* const before = std::getenv("TMPDIR");
  if (place == TestFolder::Place::disk || ::access(memory, W_OK) != 0)
    return value_or_throw(TemporaryFolder::create("kiln-store"));
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", memory, 1);
  auto folder = TemporaryFolder::create("kiln-store");
  kept.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  return value_or_throw(std::move(folder));
}

}  // namespace

TestFolder::TestFolder(Place place) : folder(folder_in(place)) {}

ChildEnd run_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

int number_from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

int open_files_below(const std::string& folder) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    count += fs::read_symlink(entry.path(), error).string().starts_with(folder);
  }
  return count;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  return names;
}

struct LogLines::Shared {
  std::mutex mutex;
  std::vector<std::string> lines;
};

LogLines::LogLines() : shared_(std::make_shared<Shared>()) {
  set_log_sink([shared = shared_](LogLevel, std::string_view line) {
    const std::lock_guard lock(shared->mutex);
    shared->lines.emplace_back(line);
  });
}
LogLines::~LogLines() { set_log_sink({}); }
std::vector<std::string> LogLines::lines() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->lines;
}

}  // namespace kiln::testing
