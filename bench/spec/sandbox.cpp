#include "spec/sandbox.hpp"

#include <cstdlib>

namespace kiln::bench {

Environment Sandbox::environment() const {
  const std::string cache = path() / "cache";
  return {{"KILN_STORE", store()},
          {"KILN_CONFIG", "off"},
          {"XDG_CACHE_HOME", cache},
          {"POCL_CACHE_DIR", path() / "driver"}};
}

void use_own_driver_cache() {
  // Made at the first call and removed when the process ends.
  static const Sandbox own = [] {
    Sandbox made;
    ::setenv("POCL_CACHE_DIR", (made.path() / "driver").c_str(), 1);
    return made;
  }();
}

}  // namespace kiln::bench
