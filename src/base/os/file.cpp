#include "base/os/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "base/data/number.hpp"
#include "base/data/text.hpp"

namespace kiln {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}
FileDescriptor::~FileDescriptor() { reset(); }
int FileDescriptor::release() { return std::exchange(fd_, -1); }
void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Expected<void> write_all(int fd, ByteView bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return tl::unexpected(io_error("write", path, errno));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Expected<std::size_t> read_all(int fd, std::span<std::byte> into,
                               const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::read(fd, into.data() + done, into.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(io_error("read", path, errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Error io_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  const bool is_name_wrong =
      error_number == ENAMETOOLONG || error_number == EISDIR || error_number == ELOOP;
  const Errc code = error_number == ENOENT || error_number == ENOTDIR ? Errc::not_found
                    : is_name_wrong                                   ? Errc::bad_input
                                                                      : Errc::io;
  // A name may hold line feeds, and a message is one line.
  const std::string shown = path.empty() ? "''" : one_line(path.string());
  return {code, "cannot " + std::string(action) + " " + shown + ": " +
                    std::generic_category().message(error_number)};
}

namespace {

template <class Buffer>
Expected<Buffer> read_whole(const std::filesystem::path& path, std::uint64_t limit) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  if (S_ISDIR(status.st_mode))
    return fail(Errc::bad_input, path.string() + " is a folder; a file was expected");
  if (!S_ISREG(status.st_mode))
    return fail(Errc::bad_input, path.string() + " is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > limit)
    return fail(Errc::bad_input, path.string() + " has " + std::to_string(status.st_size) +
                                     " bytes; at most " + std::to_string(limit) + " are read");
  Buffer bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  const auto read = read_all(fd.get(), std::as_writable_bytes(std::span(bytes)), path);
  if (!read) return tl::unexpected(read.error());
  bytes.resize(*read);
  return bytes;
}

/// Renaming over a device or a pipe (/dev/stdout, /dev/full) would put a file in its place, and
/// take it from the whole machine where root does it.
bool is_device_or_pipe(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Expected<void> write_in_place(const std::filesystem::path& path, ByteView bytes) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  return write_all(fd.get(), bytes, path);
}

}  // namespace

Expected<Bytes> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  return read_whole<Bytes>(path, limit);
}
Expected<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit) {
  return read_whole<std::string>(path, limit);
}

namespace {

/// What files are called until they are whole: short, since the target's own name may be as long as
/// the system allows.
constexpr const char* aside_prefix = ".kiln-aside-";

std::string folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path().string() : ".";
}

}  // namespace

Expected<AtomicFile> AtomicFile::create(const std::filesystem::path& target, unsigned mode) {
  AtomicFile file;
  file.target_ = target;
  // What cannot be the target's name is said before anything is written.
  struct stat status {};
  if (::lstat(target.c_str(), &status) != 0 && errno != ENOENT)
    return tl::unexpected(io_error("write", target, errno));
  const std::string folder = folder_of(target);
  file.fd_ = FileDescriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.fd_) {
    std::string pattern = folder + "/" + aside_prefix + "XXXXXX";
    file.fd_ = FileDescriptor(::mkostemp(pattern.data(), O_CLOEXEC));
    if (!file.fd_) return tl::unexpected(io_error("write", target, errno));
    file.temporary_ = pattern;
  }
  ::fchmod(file.fd_.get(), mode);
  return file;
}

bool AtomicFile::is_unfinished(std::string_view name) { return name.starts_with(aside_prefix); }

AtomicFile::~AtomicFile() {
  if (fd_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

/// Gives the file a name aside: a link does not take the place of a file that is there.
bool AtomicFile::name_aside() {
  const std::string open_file = "/proc/self/fd/" + std::to_string(fd_.get());
  constexpr int most_tries = 1000;
  static std::atomic<unsigned> last{0};
  for (int tried = 0; tried < most_tries; ++tried) {
    const std::string name = folder_of(target_) + "/" + aside_prefix + std::to_string(::getpid()) +
                             "-" + std::to_string(last.fetch_add(1, std::memory_order_relaxed));
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

Expected<void> AtomicFile::write(ByteView bytes) { return write_all(fd_.get(), bytes, target_); }

Expected<void> AtomicFile::commit(Durability durability) {
  if (durability == Durability::disk && ::fdatasync(fd_.get()) != 0)
    return tl::unexpected(io_error("write", target_, errno));
  if ((temporary_.empty() && !name_aside()) || ::rename(temporary_.c_str(), target_.c_str()) != 0)
    return tl::unexpected(io_error("write", target_, errno));
  fd_.reset();
  if (durability == Durability::disk) {
    const FileDescriptor fd(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return tl::unexpected(io_error("write", target_, errno));
  }
  return {};
}

Expected<void> write_file(const std::filesystem::path& path, ByteView bytes, unsigned mode) {
  // Behind /dev/stdout there may be a regular file: what is renamed there would take the link's
  // place, and the file that the shell opened would stay empty.
  if (const auto own = descriptor_named_by(path)) return write_descriptor(*own, bytes, path);
  if (is_device_or_pipe(path)) return write_in_place(path, bytes);
  auto file = AtomicFile::create(path, mode);
  if (!file) return tl::unexpected(file.error());
  if (auto written = file->write(bytes); !written) return written;
  return file->commit();
}

Expected<void> write_new_file(const std::filesystem::path& path, ByteView bytes, unsigned mode) {
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd && errno == EEXIST)
    return fail(Errc::bad_input, path.string() + ": the file exists, and is not overwritten");
  if (!fd) return tl::unexpected(io_error("make", path, errno));
  auto written = write_all(fd.get(), bytes, path);
  if (!written) ::unlink(path.c_str());  // it is this call's own, and of no use
  return written;
}

Expected<std::filesystem::path> rename_aside(const std::filesystem::path& path) {
  constexpr int most_names = 100'000;
  for (int number = 1; number <= most_names; ++number) {
    const std::filesystem::path aside = path.string() + "." + std::to_string(number);
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0)
      return aside;
    // A file system that cannot do it in one step: a second name, which must be new, then the first
    // one goes.
    if (errno == EINVAL && ::link(path.c_str(), aside.c_str()) == 0) {
      if (::unlink(path.c_str()) == 0) return aside;
      return tl::unexpected(io_error("set aside", path, errno));
    }
    if (errno != EEXIST) return tl::unexpected(io_error("set aside", path, errno));
  }
  return fail(Errc::io, "cannot set aside " + path.string() + ": too many such files");
}

bool lock_file(int fd, std::chrono::milliseconds patience) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + patience;
  // Most are held for a millisecond or two.
  for (auto pause = 200us; ::flock(fd, LOCK_EX | LOCK_NB) != 0;
       pause = std::min(pause * 2, 10'000us)) {
    const bool is_held = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_held || std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

Expected<TemporaryFolder> TemporaryFolder::create(std::string_view prefix,
                                                  const std::filesystem::path& otherwise) {
  std::error_code error;
  const bool chosen = std::getenv("TMPDIR") != nullptr || otherwise.empty();
  const auto parent = chosen ? std::filesystem::temp_directory_path(error) : otherwise;
  if (error) return fail(Errc::io, "no temporary folder: " + error.message());
  std::string pattern = (parent / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return tl::unexpected(io_error("make a folder in", parent, errno));
  TemporaryFolder folder;
  folder.path_ = pattern;
  return folder;
}
TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

namespace {

constexpr std::size_t step = 1 << 16;

Expected<Bytes> read_pipe(const std::filesystem::path& path, std::uint64_t limit) {
  // Opened without O_NONBLOCK: a reader of a pipe waits for its writer.
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  Bytes bytes;
  for (std::size_t done = 0;;) {
    bytes.resize(done + step);
    const auto got = read_all(fd.get(), std::span(bytes).last(step), path);
    if (!got) return tl::unexpected(got.error());
    done += *got;
    bytes.resize(done);
    if (done > limit)
      return fail(Errc::bad_input, path.string() + " has more than " + std::to_string(limit) +
                                       " bytes; at most these are read");
    if (*got < step) return bytes;
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
    const auto number = parse_number<int>(std::string_view(name).substr(folder.size()));
    if (number && *number >= 0) return number;
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
