#include "base/streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/file.hpp"

namespace kiln {
namespace {

constexpr std::size_t step = 1 << 16;

Expected<Bytes> read_pipe(const std::filesystem::path& path, std::uint64_t limit) {
  // Opened without O_NONBLOCK: a reader of a pipe waits for its writer.
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  Bytes bytes;
  for (std::size_t done = 0;;) {
    bytes.resize(done + step);
    const ssize_t got = ::read(fd.get(), bytes.data() + done, step);
    if (got < 0) return tl::unexpected(io_error("read", path, errno));
    done += static_cast<std::size_t>(got);
    bytes.resize(done);
    if (got == 0) return bytes;
    if (done > limit)
      return fail(Errc::bad_input, path.string() + " has more than " + std::to_string(limit) +
                                       " bytes; at most these are read");
  }
}

OutputWriter& standard_output() {
  static OutputWriter writer;
  return writer;
}

}  // namespace

std::optional<int> descriptor_named_by(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal();
  if (name == "/dev/stdin") return STDIN_FILENO;
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

std::filesystem::path folder_of_input(const std::filesystem::path& path) {
  return descriptor_named_by(path) ? std::filesystem::path() : path.parent_path();
}

Expected<Bytes> read_input(const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) return read_pipe(path, limit);
  return read_file(path, limit);
}

void set_standard_output(OutputWriter write) { standard_output() = std::move(write); }

Expected<void> write_descriptor(int number, ByteView bytes, const std::filesystem::path& path) {
  if (number == STDOUT_FILENO && standard_output()) return standard_output()(bytes);
  return write_all(number, bytes, path);
}

}  // namespace kiln
