#include "base/os/extract_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/expected.hpp"

namespace kiln {
namespace {

constexpr std::size_t most_components = 64, longest_component = 255;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

const char* component_problem(std::string_view name) {
  if (name.empty()) return "an empty component";
  if (name == ".") return "the component '.'";
  if (name == "..") return "the component '..'";
  if (name.size() > longest_component) return "a component of more than 255 bytes";
  for (const char c : name) {
    if (c == '\\') return "a backslash";
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "a control character";
  }
  return nullptr;
}

/// The first component, taken off the path with its slash.
std::string take_component(std::string_view& path) {
  const std::size_t slash = path.find('/');
  std::string name(path.substr(0, slash));
  path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  return name;
}

Error step_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  // What openat says of a link that it must not follow reads like a fault of the system.
  if (error_number == ELOOP || error_number == ENOTDIR)
    return {Errc::refused, "cannot " + std::string(action) + " " + path.string() +
                               ": a link or a file stands where a folder is needed"};
  return io_error(action, path, error_number);
}

FileDescriptor enter(int at, const std::string& name, const std::filesystem::path& path) {
  FileDescriptor fd(::openat(at, name.c_str(), folder_flags));
  if (fd) return fd;
  if (errno != ENOENT) throw step_error("enter", path, errno);
  if (::mkdirat(at, name.c_str(), 0755) != 0 && errno != EEXIST)
    throw step_error("make", path, errno);
  fd = FileDescriptor(::openat(at, name.c_str(), folder_flags));
  if (!fd) throw step_error("enter", path, errno);
  return fd;
}

/// Creates `.kiln-PID-N` in the folder; the name that was free is left in `name`.
FileDescriptor create_aside(int at, std::string& name) {
  for (int i = 0; i < 1000; ++i) {
    name = ".kiln-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    FileDescriptor fd(
        ::openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (fd || errno != EEXIST) return fd;
  }
  return {};
}

Expected<void> write_in(int at, const std::string& name, ByteView content,
                        const std::filesystem::path& path) {
  std::string aside;
  const FileDescriptor fd = create_aside(at, aside);
  if (!fd) return tl::unexpected(io_error("write next to", path, errno));
  auto written = write_all(fd.get(), content, path);
  if (written && ::renameat(at, aside.c_str(), at, name.c_str()) != 0)
    written = tl::unexpected(io_error("write", path, errno));
  if (!written) ::unlinkat(at, aside.c_str(), 0);
  return written;
}

}  // namespace

const char* ExtractTree::path_problem(std::string_view path) {
  if (path.empty()) return "an empty path";
  if (path.front() == '/') return "an absolute path";
  std::size_t components = 0;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (const char* problem = component_problem(path.substr(start, end - start))) return problem;
    if (++components > most_components) return "more than 64 components";
    start = end + 1;
  }
  return nullptr;
}

Expected<ExtractTree> ExtractTree::open(const std::filesystem::path& folder, Limits limits) {
  ExtractTree tree;
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
    return tl::unexpected(io_error("make", folder, errno));
  tree.root_ = FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!tree.root_) return tl::unexpected(io_error("open", folder, errno));
  tree.folder_ = folder;
  tree.limits_ = limits;
  return tree;
}

FileDescriptor ExtractTree::open_folder_of(std::string_view path) const {
  FileDescriptor fd(::openat(root_.get(), ".", folder_flags));
  if (!fd) throw io_error("open", folder_, errno);
  std::filesystem::path reached = folder_;
  for (std::string_view left = path; left.find('/') != left.npos;) {
    const std::string name = take_component(left);
    reached /= name;
    fd = enter(fd.get(), name, reached);
  }
  return fd;
}

Expected<void> ExtractTree::write(std::string_view path, ByteView content) {
  if (const char* problem = path_problem(path))
    return fail(Errc::refused, "the path '" + std::string(path) + "' has " + problem);
  if (files_ >= limits_.files)
    return fail(Errc::refused,
                "more than " + std::to_string(limits_.files) + " files are not extracted");
  if (content.size() > limits_.bytes - bytes_)
    return fail(Errc::refused,
                "more than " + std::to_string(limits_.bytes) + " bytes are not extracted");
  return expected_from([&] {
    const FileDescriptor folder = open_folder_of(path);
    const std::string name(path.substr(path.rfind('/') + 1));
    value_or_throw(write_in(folder.get(), name, content, folder_ / path));
    ++files_;
    bytes_ += content.size();
  });
}

}  // namespace kiln
