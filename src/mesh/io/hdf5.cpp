// Meshes in HDF5 files: what a dataset means when it is read, and how parts are written.
#include <fmt/format.h>

#include <cstring>

#include "mesh/io/dataset_meaning.hpp"
#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

using hdf5::columns_of;
using hdf5::Dataset;
using hdf5::is_set;
using hdf5::rows_of;
using hdf5::type_text;

/// The values as 64-bit integers; `type` is one of integers.
std::vector<std::int64_t> widened(ByteView bytes, ScalarType type) {
  return with_type(type, [&](auto zero) {
    std::vector<std::int64_t> out(bytes.size() / sizeof zero);
    for (std::size_t at = 0; at < out.size(); ++at) {
      std::memcpy(&zero, bytes.data() + at * sizeof zero, sizeof zero);
      // Unsigned numbers that do not fit become negative: as wrong for a size and an index.
      out[at] = static_cast<std::int64_t>(zero);
    }
    return out;
  });
}

/// What is read of one file. Throws bad_input.
class Hdf5Reader {
 public:
  Hdf5Reader(const hdf5::Reader& file, const FileLayout& layout) : file_(file), layout_(layout) {}

  MeshFile read() {
    const auto datasets = value_or_throw(file_.datasets());
    // Sets first: the rest is held against their sizes.
    for (const Dataset& dataset : datasets)
      if (is_set(dataset))
        mesh_.sets.push_back({dataset.path, widened(values(dataset), *dataset.type).front()});
    const hdf5::Meanings meanings(mesh_.sets, layout_);
    for (const Dataset& dataset : datasets)
      if (!is_set(dataset)) read_other(dataset, meanings.of(dataset));
    value_or_throw(check(mesh_));
    return std::move(mesh_);
  }

 private:
  Bytes values(const Dataset& dataset) const { return value_or_throw(file_.values(dataset)); }

  void read_other(const Dataset& dataset, const hdf5::Meaning& meaning) {
    switch (meaning.kind) {
      case hdf5::Meaning::Kind::map:
        return read_map(dataset, meaning);
      case hdf5::Meaning::Kind::dat:
        mesh_.dats.push_back({dataset.path, meaning.set, static_cast<int>(columns_of(dataset)),
                              *dataset.type, values(dataset), dataset.type_text});
        return;
      case hdf5::Meaning::Kind::constant:
        mesh_.constants.push_back({dataset.path, *dataset.type, static_cast<int>(rows_of(dataset)),
                                   values(dataset), dataset.type_text});
        return;
      case hdf5::Meaning::Kind::left_out:
        mesh_.left_out.push_back(fmt::format("{}: {}", dataset.path, meaning.why));
    }
  }

  void read_map(const Dataset& dataset, const hdf5::Meaning& meaning) {
    const Bytes bytes = values(dataset);
    FileMap map{dataset.path, meaning.from, meaning.to, static_cast<int>(columns_of(dataset)), {}};
    map.values.resize(bytes.size() / size_of(*dataset.type));
    if (dataset.type == ScalarType::i32) {
      if (!bytes.empty()) std::memcpy(map.values.data(), bytes.data(), bytes.size());
    } else {
      const auto wide = widened(bytes, *dataset.type);
      for (std::size_t at = 0; at < wide.size(); ++at) {
        map.values[at] = static_cast<std::int32_t>(wide[at]);
        if (map.values[at] != wide[at])
          refuse("map {}: entry {} of element {} is {}, expected 0 to {}", quote(map.name),
                 at % columns_of(dataset), at / columns_of(dataset), wide[at], hdf5::most_in_a_row);
      }
    }
    mesh_.maps.push_back(std::move(map));
  }

  const hdf5::Reader& file_;
  const FileLayout& layout_;
  MeshFile mesh_;
};

}  // namespace

bool is_hdf5(ByteView bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  // A user block has 512 bytes or a power of two times as many.
  for (std::size_t at = 0; at + signature.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at)
    if (as_text(bytes.subspan(at, signature.size())) == signature) return true;
  return false;
}

Expected<MeshFile> read_hdf5(ByteView bytes, const FileLayout& layout) {
  return expected_from([&] {
    if (!is_hdf5(bytes)) refuse("no HDF5 file: its signature is missing");
    const auto file = value_or_throw(hdf5::Reader::open(bytes));
    return Hdf5Reader(file, layout).read();
  });
}

namespace {

/// One dataset after another.
void write_parts(hdf5::Writer& file, const MeshFile& mesh) {
  const auto add = [&](const Dataset& dataset, ByteView values) {
    value_or_throw(file.add(dataset, values));
  };
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
    const auto size = static_cast<std::uint64_t>(mesh.find_set(dat.set)->size);
    // OP2 means by a dat's size the bytes of an element.
    add({.path = dat.name,
         .extents = {size, static_cast<std::uint64_t>(dat.dim)},
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
}

std::size_t values_size(const MeshFile& mesh) {
  std::size_t bytes = 0;
  for (const FileMap& map : mesh.maps) bytes += map.values.size() * sizeof(std::int32_t);
  for (const FileDat& dat : mesh.dats) bytes += dat.bytes.size();
  return bytes;
}

}  // namespace

Expected<Bytes> write_hdf5(const MeshFile& mesh) {
  return expected_from([&] {
    value_or_throw(check(mesh));
    auto file = value_or_throw(hdf5::Writer::create(values_size(mesh)));
    write_parts(file, mesh);
    return value_or_throw(file.finish());
  });
}

}  // namespace kiln::mesh
