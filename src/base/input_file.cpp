#include "base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

}  // namespace

Expected<Bytes> read_input(const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) return read_pipe(path, limit);
  return read_file(path, limit);
}

}  // namespace kiln
