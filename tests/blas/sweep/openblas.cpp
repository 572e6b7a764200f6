#include "blas/sweep/openblas.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace kiln::blas::testing {

OpenBlas::OpenBlas() : handle_(::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {}

const OpenBlas& OpenBlas::get() {
  static const OpenBlas one;
  return one;
}

void* OpenBlas::address(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error("libopenblas.so.0 has no " + name);
  return found;
}

}  // namespace kiln::blas::testing
