#include "base/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"

namespace kiln {

Expected<void> write_new_file(const std::filesystem::path& path, ByteView bytes, unsigned mode) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd && errno == EEXIST)
    return fail(Errc::bad_input, path.string() + ": the file exists, and is not overwritten");
  if (!fd) return tl::unexpected(io_error("make", path, errno));
  auto written = write_all(fd.get(), bytes, path);
  if (!written) ::unlink(path.c_str());  // it is this call's own, and of no use
  return written;
}

}  // namespace kiln
