// Those of `kiln`.
#include "cli/calls/build_loop.hpp"

namespace kiln::cli {

bool builds_loops() { return false; }

void add_loop_generators(Resolver&) {}

Explanation build_loop(const RecordedCall&, Resolver&, const DevicePtr&) {
  throw Error(
      Errc::unsupported,
      "loops are built by the program kiln-mesh, expected it beside kiln or in libexec/kiln, "
      "and the record in a regular file");
}

}  // namespace kiln::cli
