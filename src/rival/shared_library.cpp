#include "rival/shared_library.hpp"

#include <dlfcn.h>

#include "kiln/error.hpp"

namespace kiln::rival {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      // Never closed: such libraries keep threads that outlive their use.
      handle_ = {opened, [](void*) {}};
      return;
    }
}

bool SharedLibrary::has(const std::string& name) const {
  return handle_ && ::dlsym(handle_.get(), name.c_str()) != nullptr;
}

void* SharedLibrary::address(const std::string& name) const {
  void* found = handle_ ? ::dlsym(handle_.get(), name.c_str()) : nullptr;
  if (found == nullptr) throw Error(Errc::unsupported, "there is no function " + name);
  return found;
}

}  // namespace kiln::rival
