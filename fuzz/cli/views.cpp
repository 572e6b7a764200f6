// What the command prints of files from elsewhere, as text and as JSON: kernel databases, program
// archives, packs, journals of searches, measured spaces and records of calls. The first byte says
// which command; the others are the file. Each ends with an exit code or with one line of error.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "cli/command/command.hpp"
#include "cli/command/context.hpp"

using namespace kiln;

namespace {

using Words = std::vector<std::string>;

/// The order is that of the corpus: only ever add at the end.
const std::vector<Words> views{
    {"kdb", "verify"},
    {"kdb", "verify", "--json"},
    {"kdb", "info"},
    {"kdb", "info", "--json"},
    {"kdb", "dump"},
    {"kdb", "dump", "--json"},
    {"poclbin", "verify"},
    {"poclbin", "verify", "--objects", "--json"},
    {"poclbin", "info"},
    {"poclbin", "info", "--json"},
    {"poclbin", "ls"},
    {"poclbin", "ls", "--json"},
    {"store", "verify-pack"},
    {"store", "verify-pack", "--json"},
    {"tuned", "report", "--store=off", "-o", "/dev/null"},
    {"tuned", "export", "--store=off", "--format", "json"},
    {"tuned", "export", "--store=off", "--format", "csv"},
    {"tuned", "export", "--store=off", "--format", "t4"},
    {"tune", "--seeds", "1", "--strategy", "random", "--replay"},
    {"tune", "--seeds", "1", "--strategy", "genetic", "--json", "--replay"},
    {"prebuild", "--dry-run", "--from"},
    {"prebuild", "--dry-run", "--json", "--from"},
};

/// Without what cli::run does to the process: its signals are the fuzzer's.
void run(Words words) {
  const std::string single = words[0], both = words[0] + " " + words[1];
  const cli::Command* command = cli::find_command(both);
  words.erase(words.begin(), words.begin() + (command != nullptr ? 2 : 1));
  if (command == nullptr) command = cli::find_command(single);
  if (command == nullptr) std::abort();
  auto line = value_or_throw(cli::parse_command_line(*command, std::move(words)));
  cli::ConfigFile none;
  auto settings = value_or_throw(cli::resolve(*command, line, none));
  cli::Context context(*command, std::move(settings), std::move(line.arguments), none);
  const int code = command->body(context);
  if (code < 0 || code > 2) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
  const ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  if (!write_all(file.get(), bytes, path)) std::abort();
  Words words = views[data[0] % views.size()];
  words.push_back(path);
  try {
    run(std::move(words));
  } catch (const Error& error) {
    // Some messages quote what a compiler said; none of these do.
    if (error.message().empty() || error.message().find('\n') != std::string::npos) std::abort();
  }
  std::fflush(stdout);
  return 0;
}
