// Any bytes as a text mesh: refused with one line, or a whole mesh which written and read again is
// the same, coordinates rounded.

#include <cstdlib>

#include "mesh/io/mesh_io.hpp"

using namespace kiln;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto mesh = mesh::read_text({reinterpret_cast<const std::byte*>(data), size});
  if (!mesh) {
    require(!mesh.error().message().empty());
    require(mesh.error().message().find('\n') == std::string::npos);
    return 0;
  }
  require(mesh::check(*mesh).has_value());
  const auto written = mesh::write_text(*mesh);
  require(written.has_value());
  const auto again = mesh::read_text(*written);
  require(again.has_value());
  for (std::size_t k = 0; k < mesh->maps.size(); ++k)
    require(again->maps[k].values == mesh->maps[k].values);
  // Rounded once, nothing changes any more.
  require(*mesh::write_text(*again) == *written);
  return 0;
}
