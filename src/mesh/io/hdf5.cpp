// Meshes in HDF5 files: what a dataset means when it is read, and how parts are written.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

using hdf5::Dataset;

constexpr std::uint64_t most_elements = std::numeric_limits<std::int32_t>::max();

bool is_integer(const Dataset& dataset) { return dataset.type && !is_floating(*dataset.type); }

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
    for (const Dataset& dataset : datasets)
      if (!is_set(dataset)) read_other(dataset);
    value_or_throw(check(mesh_));
    return std::move(mesh_);
  }

 private:
  /// A set is one integer with no attributes, as a list (OP2) or alone (h5py's `f[name] = n`);
  /// a constant of OP2's has its `dim`.
  static bool is_set(const Dataset& dataset) {
    const bool is_one = dataset.extents.empty() || dataset.extents == std::vector<std::uint64_t>{1};
    return is_integer(dataset) && is_one && !dataset.dim && !dataset.size && dataset.set.empty() &&
           dataset.from.empty();
  }

  Bytes values(const Dataset& dataset) const { return value_or_throw(file_.values(dataset)); }

  void leave_out(const Dataset& dataset, std::string_view why) {
    mesh_.left_out.push_back(fmt::format("{}: {}", dataset.path, why));
  }

  void read_other(const Dataset& dataset) {
    if (!dataset.type) return leave_out(dataset, "it holds no numbers of a known type");
    if (dataset.extents.size() > 2)
      return leave_out(
          dataset, fmt::format("it has {} dimensions, expected at most 2", dataset.extents.size()));
    if (!dataset.from.empty() || !dataset.to.empty())
      return read_map(dataset, dataset.from, dataset.to);
    if (!dataset.set.empty()) return read_dat(dataset, dataset.set);
    if (dataset.extents.size() < 2 && !dataset.size && (dataset.dim || dataset.extents.empty()))
      return read_constant(dataset);
    for (const FileLayout::Map& map : layout_.maps)
      if (map.name == dataset.path) return read_map(dataset, map.from, map.to);
    for (const FileLayout::Dat& dat : layout_.dats)
      if (dat.name == dataset.path) return read_dat(dataset, dat.set);
    read_by_shape(dataset);
  }

  /// Nothing says what it is. Floating-point numbers belong to the one set of their length;
  /// integers could be a map.
  void read_by_shape(const Dataset& dataset) {
    if (is_integer(dataset))
      return leave_out(dataset,
                       fmt::format("nothing says which sets it joins: attributes 'from' and 'to' "
                                   "would ('set' for data), or --map {0}=FROM:TO (--on {0}=SET)",
                                   one_line(dataset.path)));
    const FileSet* found = nullptr;
    for (const FileSet& set : mesh_.sets) {
      if (static_cast<std::uint64_t>(set.size) != rows_of(dataset)) continue;
      if (found != nullptr)
        return leave_out(dataset,
                         fmt::format("nothing says whether it is on {} or {}: an attribute 'set' "
                                     "would, or --on {}=SET",
                                     quote(found->name), quote(set.name), one_line(dataset.path)));
      found = &set;
    }
    if (found == nullptr)
      return leave_out(dataset, fmt::format("no set has {} elements", rows_of(dataset)));
    read_dat(dataset, found->name);
  }

  static std::uint64_t rows_of(const Dataset& dataset) {
    return dataset.extents.empty() ? 1 : dataset.extents[0];
  }
  static std::uint64_t columns_of(const Dataset& dataset) {
    return dataset.extents.size() < 2 ? 1 : dataset.extents[1];
  }

  /// The set's size and the extents' first number agree, and a row has a sane length.
  void check_extents(const char* kind, const Dataset& dataset, const std::string& set) const {
    const FileSet* known = mesh_.find_set(set);
    if (known == nullptr)
      refuse("{} {}: the file has no set {}", kind, quote(dataset.path), quote(set));
    if (rows_of(dataset) != static_cast<std::uint64_t>(known->size))
      refuse("{} {}: found {} rows, expected {} (the size of {})", kind, quote(dataset.path),
             rows_of(dataset), known->size, quote(set));
    if (columns_of(dataset) < 1 || columns_of(dataset) > most_elements)
      refuse("{} {}: found {} numbers in a row, expected 1 to {}", kind, quote(dataset.path),
             columns_of(dataset), most_elements);
  }

  void read_map(const Dataset& dataset, const std::string& from, const std::string& to) {
    check_extents("map", dataset, from);
    if (!is_integer(dataset))
      refuse("map {}: found numbers with a fraction, expected whole ones", quote(dataset.path));
    const Bytes bytes = values(dataset);
    FileMap map{dataset.path, from, to, static_cast<int>(columns_of(dataset)), {}};
    map.values.resize(bytes.size() / size_of(*dataset.type));
    if (dataset.type == ScalarType::i32) {
      if (!bytes.empty()) std::memcpy(map.values.data(), bytes.data(), bytes.size());
    } else {
      const auto wide = widened(bytes, *dataset.type);
      for (std::size_t at = 0; at < wide.size(); ++at) {
        map.values[at] = static_cast<std::int32_t>(wide[at]);
        if (map.values[at] != wide[at])
          refuse("map {}: entry {} of element {} is {}, expected 0 to {}", quote(map.name),
                 at % columns_of(dataset), at / columns_of(dataset), wide[at], most_elements);
      }
    }
    mesh_.maps.push_back(std::move(map));
  }

  void read_dat(const Dataset& dataset, const std::string& set) {
    check_extents("dat", dataset, set);
    mesh_.dats.push_back({dataset.path, set, static_cast<int>(columns_of(dataset)), *dataset.type,
                          values(dataset), dataset.type_text});
  }

  void read_constant(const Dataset& dataset) {
    const std::uint64_t dim = rows_of(dataset);
    if (dim < 1 || dim > most_elements ||
        (dataset.dim && static_cast<std::uint64_t>(*dataset.dim) != dim))
      refuse("constant {}: found {} values, expected {}", quote(dataset.path), dim,
             dataset.dim ? fmt::to_string(*dataset.dim) : fmt::format("1 to {}", most_elements));
    mesh_.constants.push_back(
        {dataset.path, *dataset.type, static_cast<int>(dim), values(dataset), dataset.type_text});
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

/// The type as OP2 words it, which goes by the names of C.
std::string type_text(const std::string& known, ScalarType type) {
  if (!known.empty()) return known;
  constexpr const char* names[] = {"char",  "unsigned char", "short", "unsigned short",
                                   "int",   "unsigned int",  "long",  "unsigned long",
                                   "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

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
