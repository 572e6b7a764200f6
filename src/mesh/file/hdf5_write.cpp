#include "mesh/file/hdf5.hpp"
#include "mesh/file/hdf5_library.hpp"

namespace kiln::mesh {
namespace {

using hdf5::Dataset;

/// The type as OP2 words it, which goes by the names of C.
std::string type_text(const std::string& known, ScalarType type) {
  if (!known.empty()) return known;
  constexpr const char* names[] = {"char",  "unsigned char", "short", "unsigned short",
                                   "int",   "unsigned int",  "long",  "unsigned long",
                                   "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

/// What is written, one dataset after another, until something fails.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(hdf5::Writer& file) : file_(file) {}

  Expected<void> write(const MeshFile& mesh) {
    for (const FileSet& set : mesh.sets) {
      const auto size = static_cast<std::int32_t>(set.size);
      add({.path = set.name, .extents = {1}, .type = ScalarType::i32}, bytes_of(size));
    }
    for (const FileMap& map : mesh.maps) {
      const std::int64_t size = mesh.find_set(map.from)->size;
      add({.path = map.name,
           .extents = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(map.arity)},
           .type = ScalarType::i32,
           .type_text = "int",
           .from = map.from,
           .to = map.to,
           .size = size,
           .dim = map.arity},
          std::as_bytes(std::span(map.values)));
    }
    for (const FileDat& dat : mesh.dats) {
      const std::int64_t size = mesh.find_set(dat.set)->size;
      // OP2 means by a dat's size the bytes of an element.
      add({.path = dat.name,
           .extents = {static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(dat.dim)},
           .type = dat.type,
           .type_text = type_text(dat.type_text, dat.type),
           .set = dat.set,
           .size = dat.dim * static_cast<std::int64_t>(size_of(dat.type)),
           .dim = dat.dim},
          dat.bytes);
    }
    for (const FileConst& constant : mesh.constants)
      add({.path = constant.name,
           .extents = {static_cast<std::uint64_t>(constant.dim)},
           .type = constant.type,
           .type_text = type_text(constant.type_text, constant.type),
           .dim = constant.dim},
          constant.bytes);
    return std::move(result_);
  }

 private:
  void add(const Dataset& dataset, ByteView values) {
    if (result_) result_ = file_.add(dataset, values);
  }

  hdf5::Writer& file_;
  Expected<void> result_;
};

std::size_t bytes_of_values(const MeshFile& mesh) {
  std::size_t bytes = 0;
  for (const FileMap& map : mesh.maps) bytes += map.values.size() * sizeof(std::int32_t);
  for (const FileDat& dat : mesh.dats) bytes += dat.bytes.size();
  return bytes;
}

}  // namespace

Expected<Bytes> write_hdf5(const MeshFile& mesh) {
  if (auto checked = check(mesh); !checked) return tl::unexpected(checked.error());
  auto file = hdf5::Writer::create(bytes_of_values(mesh));
  if (!file) return tl::unexpected(file.error());
  if (auto written = Hdf5Writer(*file).write(mesh); !written)
    return tl::unexpected(written.error());
  return file->finish();
}

}  // namespace kiln::mesh
