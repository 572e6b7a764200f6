// The HDF5 library behind its Reader and Writer.
#include "mesh/io/hdf5_library.hpp"

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <utility>

#include "base/expected.hpp"
#include "mesh/io/hdf5_objects.hpp"

namespace kiln::mesh::hdf5 {

// No such file can ever be: the driver for images in memory wants a name that is free.
inline constexpr const char* no_file = "/dev/null/kiln";

inline std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

namespace {

// The image is read where it lies: the library asks for memory, and gets it.
void* image_memory(std::size_t, H5FD_file_image_op_t, void* image) { return image; }
void* image_copy(void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; }
void* image_realloc(void*, std::size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t image_free(void*, H5FD_file_image_op_t, void*) { return 0; }
void* same_image(void* image) { return image; }
herr_t image_kept(void*) { return 0; }

}  // namespace

/// Members go in reverse: the file closes before messages come back and the lock opens.
struct OpenFile {
  std::unique_lock<std::mutex> lock{library_mutex()};
  Quiet quiet;
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  std::optional<Handle> file;
};

Reader::Reader(std::unique_ptr<OpenFile> open, ByteView image)
    : open_(std::move(open)), image_(image) {}
Reader::Reader(Reader&&) noexcept = default;
Reader::~Reader() = default;

Expected<Reader> Reader::open(ByteView image) {
  return expected_from([&] {
    auto open = std::make_unique<OpenFile>();
    const hid_t access = open->access.get();
    auto* memory = const_cast<std::byte*>(image.data());  // opened for reading only
    H5FD_file_image_callbacks_t callbacks{image_memory, image_copy, image_realloc, image_free,
                                          same_image,   image_kept, memory};
    if (H5Pset_fapl_core(access, 1, false) < 0 ||
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
        H5Pset_file_image(access, memory, image.size()) < 0)
      damaged("prepare to read it");
    open->file.emplace(H5Fopen(no_file, H5F_ACC_RDONLY, access), H5Fclose);
    if (!*open->file) damaged("open it");
    return Reader(std::move(open), image);
  });
}

Expected<std::vector<Dataset>> Reader::datasets() const {
  return expected_from([&] {
    std::vector<Dataset> out;
    std::size_t objects = 0;
    const Handle root(H5Gopen2(open_->file->get(), "/", H5P_DEFAULT), H5Gclose);
    if (!root) damaged("open the root group");
    walk(root.get(), "", 0, objects, out);
    return out;
  });
}

Expected<Bytes> Reader::values(const Dataset& dataset) const {
  return expected_from([&] {
    if (!dataset.type) refuse("{} holds no numbers of a known type", quote(dataset.path));
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(dataset.elements(), size_of(*dataset.type), &bytes) ||
        bytes / largest_compression > image_.size())
      refuse("{} claims {} values, more than the file of {} bytes can hold", quote(dataset.path),
             dataset.elements(), image_.size());
    const Handle opened(H5Dopen2(open_->file->get(), dataset.path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!opened) damaged(fmt::format("open {}", quote(dataset.path)));
    check_storage(opened.get(), dataset, bytes);
    Bytes values(bytes);
    if (bytes > 0 && H5Dread(opened.get(), native(*dataset.type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             values.data()) < 0)
      damaged(fmt::format("read the values of {}", quote(dataset.path)));
    return values;
  });
}

void skip_cleanup_at_exit() { H5dont_atexit(); }

std::size_t open_objects() {
  const std::lock_guard lock(library_mutex());
  const ssize_t count = H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

Writer::Writer(std::unique_ptr<OpenFile> open) : open_(std::move(open)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer::~Writer() = default;

namespace {

tl::unexpected<Error> cannot_write(std::string_view what) {
  return fail(Errc::io,
              fmt::format("cannot write {} to an HDF5 file ({})", what, library_message()));
}

}  // namespace

Expected<Writer> Writer::create(std::size_t bytes) {
  auto open = std::make_unique<OpenFile>();
  const hid_t access = open->access.get();
  constexpr std::size_t heads = 1u << 16;
  if (H5Pset_fapl_core(access, bytes + heads, false) < 0) return cannot_write("a head");
  open->file.emplace(H5Fcreate(no_file, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  if (!*open->file) return cannot_write("a head");
  return Writer(std::move(open));
}

Expected<void> Writer::add(const Dataset& dataset, ByteView values) {
  const std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hid_t type = native(dataset.type.value_or(ScalarType::f64));
  if (!space || H5Pset_create_intermediate_group(links.get(), 1) < 0 ||
      H5Pset_obj_track_times(plan.get(), false) < 0)
    return cannot_write(quote(dataset.path));
  const Handle made(H5Dcreate2(open_->file->get(), dataset.path.c_str(), type, space.get(),
                               links.get(), plan.get(), H5P_DEFAULT),
                    H5Dclose);
  bool is_good = made && (values.empty() || H5Dwrite(made.get(), type, H5S_ALL, H5S_ALL,
                                                     H5P_DEFAULT, values.data()) >= 0);
  attributes(dataset, [&](const char* name, const auto& value) {
    is_good = is_good && add_attribute(made.get(), name, value);
  });
  if (!is_good) return cannot_write(quote(dataset.path));
  return {};
}

Expected<Bytes> Writer::finish() {
  const hid_t file = open_->file->get();
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return cannot_write("the end");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) return cannot_write("the end");
  Bytes image(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file, image.data(), image.size()) != size) return cannot_write("the end");
  return image;
}

}  // namespace kiln::mesh::hdf5
