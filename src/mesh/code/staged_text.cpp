#include "mesh/code/staged_text.hpp"

#include <fmt/format.h>

namespace kiln::mesh {

std::string staged_body(const LoopShape&, const UserKernel&, const ConstantUse&, const Parameters&,
                        const std::string&) {
  throw Error(Errc::unsupported, "staged");
}

}  // namespace kiln::mesh
