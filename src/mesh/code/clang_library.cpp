#include "mesh/code/clang_library.hpp"

#include <dlfcn.h>

#include <string>

#include "base/lifetime.hpp"

namespace kiln::mesh {
namespace {

constexpr const char* places[] = {"/usr/lib/llvm-15/lib/libclang-15.so.1", "libclang-15.so.1"};

// libclang finds its own symbols before those of a driver that brings another LLVM. Sanitizers
// replace functions of all libraries and take no such flag.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

Expected<ClangLibrary> open_library() {
  void* handle = nullptr;
  for (const char* place : places)
    if ((handle = ::dlopen(place, open_flags)) != nullptr) break;
  if (handle == nullptr)
    return fail(Errc::unsupported,
                "reading mesh kernels takes libclang 15 (libclang-15.so.1, Debian's package "
                "libclang1-15), which is not on this machine");
  ClangLibrary library;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
#define KILN_FIND(name) find(library.name, "clang_" #name);
  KILN_CLANG_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty()) return fail(Errc::unsupported, "libclang 15 here has no " + missing);
  return library;
}

}  // namespace

Expected<const ClangLibrary*> ClangLibrary::get() {
  // Never closed: its destructors would run beside those of the drivers that hold an LLVM, too.
  static const NeverDestroyed<Expected<ClangLibrary>> library(open_library());
  if (!*library) return tl::unexpected(library->error());
  return &**library;
}

}  // namespace kiln::mesh
