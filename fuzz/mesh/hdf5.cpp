// The input says what datasets an HDF5 file has: names, extents, types, attributes and values that
// need not fit one another. The file is refused with one line or gives a whole mesh, which written
// and read again is the same. What bytes do that are no HDF5 file is left to the tests: a fuzzer
// soon finds what the HDF5 library itself stumbles over.

#include <cstdlib>
#include <string>

#include "mesh/io/hdf5_library.hpp"
#include "mesh/io/mesh_io.hpp"

using namespace kiln;
using namespace kiln::mesh;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Takes choices off the input; zeros when it is used up.
class Choices {
 public:
  explicit Choices(ByteView bytes) : bytes_(bytes) {}
  bool left() const { return !bytes_.empty(); }
  unsigned next(unsigned below) {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<unsigned>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value % below;
  }
  /// A number that is small more often than not.
  std::int64_t number() {
    constexpr std::int64_t wild[] = {-1, INT32_MAX, INT64_MIN, 3'000'000'000, 256};
    const unsigned choice = next(32);
    return choice < 27 ? choice / 3 : wild[choice - 27];
  }
  std::string name() {
    constexpr const char* names[] = {"nodes",  "edges", "bedges", "cells", "pedge",  "pecell",
                                     "pbedge", "pcell", "p_x",    "p_q",   "gam",    "x",
                                     "g/x",    "a\nb",  "",       "type",  "double", "int"};
    return names[next(18)];
  }

 private:
  ByteView bytes_;
};

hdf5::Dataset dataset_of(Choices& choices) {
  hdf5::Dataset out{choices.name()};
  const unsigned shape = choices.next(8);  // mostly sets, lists and tables
  if (shape == 0) out.extents = {1};
  if (shape > 0) out.extents.push_back(choices.next(5));
  if (shape > 3) out.extents.push_back(choices.next(5));
  if (shape > 6) out.extents.push_back(choices.next(3));
  out.type = static_cast<ScalarType>(choices.next(10));
  const unsigned attributes = choices.next(64);
  if (attributes & 1) out.size = choices.number();
  if (attributes & 2) out.dim = choices.number();
  if (attributes & 4) out.type_text = choices.name();
  if (attributes & 8) out.from = choices.name();
  if (attributes & 16) out.to = choices.name();
  if (attributes & 32) out.set = choices.name();
  return out;
}

Bytes values_of(const hdf5::Dataset& dataset, Choices& choices) {
  Bytes values;
  for (std::uint64_t k = 0; k < dataset.elements(); ++k) {
    const std::int64_t number = choices.number();
    append(values, ByteView(reinterpret_cast<const std::byte*>(&number), size_of(*dataset.type)));
  }
  return values;
}

Expected<Bytes> file_of(Choices choices) {
  auto file = hdf5::Writer::create(0);
  for (int count = 0; file && choices.left() && count < 12; ++count) {
    const hdf5::Dataset dataset = dataset_of(choices);
    // A name that is taken is refused; the file goes on without.
    (void)file->add(dataset, values_of(dataset, choices));
  }
  return file->finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto image = file_of(Choices({reinterpret_cast<const std::byte*>(data), size}));
  require(image.has_value());
  const auto mesh = read_hdf5(*image);
  require(hdf5::open_objects() == 0);
  if (!mesh) {
    require(!mesh.error().message().empty());
    require(mesh.error().message().find('\n') == std::string::npos);
    return 0;
  }
  require(check(*mesh).has_value());
  const auto written = write_hdf5(*mesh);
  require(written.has_value());
  const auto again = read_hdf5(*written, FileLayout{});
  require(again.has_value() && again->left_out.empty());
  require(again->sets.size() == mesh->sets.size() && again->maps.size() == mesh->maps.size() &&
          again->dats.size() == mesh->dats.size() &&
          again->constants.size() == mesh->constants.size());
  require(*write_hdf5(*again) == *written);
  return 0;
}
