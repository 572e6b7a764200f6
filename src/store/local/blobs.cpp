#include "store/local/blobs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

namespace kiln {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

/// The digest that a file's place stands for; nothing for a name that no store gives.
std::optional<Digest> digest_of(const std::string& shelf, const std::string& name) {
  Digest digest;
  if (!parse_digest(shelf + name, digest) || digest.hex().substr(0, 2) != shelf) return {};
  return digest;
}

}  // namespace

std::string BlobFolder::path_of(const Digest& digest) const {
  const std::string name = digest.hex();
  return root_ + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

Expected<AtomicFile> BlobFolder::stage(const Digest& digest, ByteView content) const {
  const std::string path = path_of(digest);
  for (const auto& folder : {fs::path(root_), fs::path(path).parent_path()})
    if (is_link(folder))
      return fail(Errc::io, folder.string() + " is a link; a folder was expected");
  auto file = create_file(path);
  if (!file) return file;
  if (auto written = file->write(content); !written) return tl::unexpected(written.error());
  return file;
}

Expected<AtomicFile> BlobFolder::create_file(const std::string& path) const {
  auto file = AtomicFile::create(path, 0600);
  if (file || file.error().code() != Errc::not_found) return file;
  ::mkdir(root_.c_str(), 0700);
  ::mkdir(fs::path(path).parent_path().c_str(), 0700);
  return AtomicFile::create(path, 0600);
}

Expected<Bytes> BlobFolder::read(const Digest& digest, std::uint64_t size,
                                 const Checksum& checksum) const {
  const std::string path = path_of(digest);
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  // Of the very file that is read: its folder may be one that others can write to.
  if (auto why = written_by_others(path, status, owner_); !why.empty())
    return fail(Errc::refused, "the content's file is not used: " + why);
  // Memory is asked for only once the file has been seen to be as long as the row says.
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size)
    return fail(Errc::corrupt, "the content's file has " + std::to_string(status.st_size) +
                                   " bytes; " + std::to_string(size) + " were stored");
  Bytes content(static_cast<std::size_t>(size));
  const auto read = read_all(fd.get(), content, path);
  if (!read) return tl::unexpected(read.error());
  if (*read < size) return fail(Errc::corrupt, "the content's file was cut while it was read");
  if (xxh3(content) != checksum) return fail(Errc::corrupt, "checksum differs");
  return content;
}

std::uint64_t BlobFolder::remove(const Digest& digest) const {
  const std::string path = path_of(digest);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || ::unlink(path.c_str()) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

BlobFolder::Total BlobFolder::each(
    const std::function<void(const Digest*, const std::string&)>& call) const {
  Total total;
  // A link leads out of the store, and a name of another form is not a file of ours.
  if (!is_folder(root_)) return total;
  std::error_code error;
  for (fs::directory_iterator shelf(root_, error), end; !error && shelf != end;
       shelf.increment(error)) {
    const std::string letters = shelf->path().filename().string();
    if (letters.size() != 2 || !is_folder(shelf->path())) continue;
    std::error_code inner;
    for (fs::directory_iterator file(shelf->path(), inner); !inner && file != end;
         file.increment(inner)) {
      const std::string name = file->path().filename().string();
      const auto whole = digest_of(letters, name);
      if (!whole && !AtomicFile::is_unfinished(name)) continue;
      struct stat status {};
      if (::lstat(file->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
      ++total.files;
      total.bytes += static_cast<std::uint64_t>(status.st_size);
      call(whole ? &*whole : nullptr, file->path().string());
    }
  }
  return total;
}

}  // namespace kiln
