#include "mutations/trials.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "cli/command/command.hpp"
#include "test_paths.hpp"

namespace kiln::mutations {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_failures = 10;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// What the processes of a trial have in common.
struct Shared {
  std::atomic<std::uint64_t> number;    ///< of the input that is tried
  std::atomic<int> exit_code;           ///< of the last one
  std::atomic<std::uint64_t> ended[3];  ///< how many with each exit code
};

class Trial {
 public:
  explicit Trial(const Trials& trials)
      : trials_(trials),
        start_(number_of("KILN_MUTATION_SEED", 1)),
        mutator_(trials.seeds, trials.form, start_),
        folder_(value_or_throw(TemporaryFolder::create("kiln-mutations", "/dev/shm"))),
        file_(folder_.path() / "input"),
        output_(FileDescriptor(::memfd_create("output", MFD_CLOEXEC))) {
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || output_.get() < 0) std::abort();
    shared_ = new (memory) Shared{};
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() { ::munmap(shared_, sizeof(Shared)); }

  void run() {
    const auto count = number_of("KILN_MUTATIONS",
                                 std::getenv("KILN_LONG") == nullptr ? trials_.few : trials_.many);
    const std::uint64_t first = number_of("KILN_MUTATION_FIRST", 0), end = first + count;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t next = first; next < end && failures_ < most_failures;)
      next = run_batch(next, std::min(end, next + trials_.batch));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "%s: %llu inputs from %zu seeds, start value %llu; exit codes 0, 1, 2: %llu, %llu, "
        "%llu; %.1f s, %.0f a second\n",
        trials_.name.c_str(), number(count), trials_.seeds.size(), number(start_),
        number(shared_->ended[0]), number(shared_->ended[1]), number(shared_->ended[2]),
        time.count(), static_cast<double>(count) / time.count());
  }

 private:
  /// Tries inputs in one process, up to one that ends it; gives the number to go on with.
  std::uint64_t run_batch(std::uint64_t first, std::uint64_t end) {
    shared_->number = first;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
      ADD_FAILURE() << "cannot start a process";
      return end;
    }
    if (child == 0) try_inputs(first, end);
    const FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    bool hangs = false;
    for (std::uint64_t seen = ~std::uint64_t{0};;) {
      pollfd wait{handle.get(), POLLIN, 0};
      const int ready = ::poll(&wait, 1, static_cast<int>(trials_.longest.count()));
      if (ready > 0) break;
      const std::uint64_t now = shared_->number;
      if (ready == 0 && now == seen) {
        hangs = true;
        ::kill(child, SIGKILL);
      }
      seen = now;
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return end;
    const std::uint64_t number = shared_->number;
    report(number, hangs ? "does not end"
                   : WIFSIGNALED(status)
                       ? "ends by " + signal_name(WTERMSIG(status))
                       : "gives exit code " + std::to_string(WEXITSTATUS(status) == wrong_code
                                                                 ? shared_->exit_code.load()
                                                                 : WEXITSTATUS(status)));
    return number + 1;
  }

  static constexpr int wrong_code = 99;  ///< of a process, for a wrong one of the command

  [[noreturn]] void try_inputs(std::uint64_t first, std::uint64_t end) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__
    // A number in a file that takes memory beyond all need ends the command, and not the machine.
    const rlimit memory{std::uint64_t{16} << 30, std::uint64_t{16} << 30};
    ::setrlimit(RLIMIT_AS, &memory);
#endif
    ::dup2(output_.get(), STDOUT_FILENO);
    ::dup2(output_.get(), STDERR_FILENO);
    if (trials_.prepare) trials_.prepare();
    for (std::uint64_t number = first; number < end; ++number) {
      shared_->number = number;
      if (::ftruncate(output_.get(), 0) != 0 || ::lseek(output_.get(), 0, SEEK_SET) != 0)
        std::abort();
      put(number);
      const int code = run_command(number);
      std::fflush(nullptr);
      if (code >= 0 && code <= 2 && !says_internal_error()) {
        ++shared_->ended[code];
        continue;
      }
      shared_->exit_code = code;
      ::_exit(wrong_code);
    }
    ::_exit(0);
  }

  void put(std::uint64_t number) const {
    const Bytes input = mutator_.input(number);
    if (trials_.place)
      trials_.place(input, number);
    else
      value_or_throw(write_file(file_, input));
  }

  int run_command(std::uint64_t number) const {
    std::vector<std::string> words = trials_.words(number, file_.string());
    words.insert(words.begin(), "kiln");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    return cli::run(static_cast<int>(pointers.size()), pointers.data());
  }

  std::string written() const {
    std::string text(1 << 16, '\0');
    const auto size = ::pread(output_.get(), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
  }
  /// What cli::run prints for an unexpected exception.
  bool says_internal_error() const {
    const std::string text = written();
    return text.find("kiln: internal error: ") != text.npos ||
           text.find("kiln: out of memory") != text.npos;
  }

  void report(std::uint64_t number, const std::string& what) {
    ++failures_;
    const fs::path kept =
        fs::path(KILN_BINARY_DIR) / "mutations" /
        (trials_.name + "-" + std::to_string(start_) + "-" + std::to_string(number));
    fs::create_directories(kept.parent_path());
    value_or_throw(write_file(kept, mutator_.input(number)));
    std::string text = written();
    if (text.size() > 4000) text = "…" + text.substr(text.size() - 4000);
    std::string words;
    for (const auto& word : trials_.words(number, kept.string())) words += " " + word;
    ADD_FAILURE() << "kiln" << words << "\n"
                  << what << "; alone: KILN_MUTATION_SEED=" << start_
                  << " KILN_MUTATION_FIRST=" << number << " KILN_MUTATIONS=1\n"
                  << text;
  }

  const Trials& trials_;
  std::uint64_t start_;
  Mutator mutator_;
  TemporaryFolder folder_;
  fs::path file_;
  FileDescriptor output_;
  Shared* shared_ = nullptr;
  std::size_t failures_ = 0;
};

}  // namespace

void expect_endings(const Trials& trials) {
  ASSERT_FALSE(trials.seeds.empty()) << trials.name;
  Trial(trials).run();
}

std::vector<Seed> corpus(const std::string& name) {
  return files_below(fs::path(KILN_SOURCE_DIR) / "fuzz/corpus" / name);
}

std::vector<Seed> files_below(const fs::path& folder, std::uintmax_t most) {
  std::vector<Seed> seeds;
  std::error_code absent;
  for (const auto& entry : fs::recursive_directory_iterator(folder, absent))
    if (entry.is_regular_file() && entry.file_size() <= most)
      seeds.push_back({entry.path().string(), value_or_throw(read_file(entry.path()))});
  // The order of a folder is its file system's.
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

std::vector<Seed> often(const std::vector<Seed>& seeds) {
  std::vector<Seed> many;
  for (int time = 0; time < 10; ++time) many = std::move(many) + seeds;
  return many;
}

std::vector<Seed> operator+(std::vector<Seed> a, std::vector<Seed> b) {
  for (Seed& seed : b) a.push_back(std::move(seed));
  return a;
}

void in_child(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      work();
      code = 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace kiln::mutations
