#include "blas/shared_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace kiln::bench {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      // Never closed: such libraries keep threads that outlive their use.
      handle_ = {opened, [](void*) {}};
      return;
    }
}

void* SharedLibrary::address(const std::string& name) const {
  void* found = ::dlsym(handle_.get(), name.c_str());
  if (found == nullptr) throw std::runtime_error("the rival's library has no " + name);
  return found;
}

}  // namespace kiln::bench
