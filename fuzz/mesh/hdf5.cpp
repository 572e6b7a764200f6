// Any bytes as an HDF5 mesh: refused with one line, or a whole mesh which written and read again is
// the same. Nothing of the HDF5 library stays open.

#include "mesh/file/hdf5.hpp"

#include <cstdlib>

#include "mesh/file/hdf5_library.hpp"

using namespace kiln;

// The library itself loses memory over some damaged files; that is not what is looked for.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

const bool quiet_at_exit = (mesh::hdf5::skip_cleanup_at_exit(), true);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto mesh = mesh::read_hdf5(bytes);
  require(quiet_at_exit && mesh::hdf5::open_objects() == 0);
  if (!mesh) {
    require(!mesh.error().message().empty());
    require(mesh.error().message().find('\n') == std::string::npos);
    return 0;
  }
  require(mesh::check(*mesh).has_value());
  const auto written = mesh::write_hdf5(*mesh);
  // Names that no path can be made of again ("a" beside "a/b") are refused, too.
  if (!written) {
    require(written.error().message().find('\n') == std::string::npos);
    return 0;
  }
  const auto again = mesh::read_hdf5(*written);
  require(again.has_value() && again->maps.size() == mesh->maps.size() &&
          again->dats.size() == mesh->dats.size());
  require(mesh::hdf5::open_objects() == 0);
  return 0;
}
