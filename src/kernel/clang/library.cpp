#include "kernel/clang/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

#include "base/lifetime.hpp"
#include "kernel/clang/library_files.hpp"

namespace kiln::clang {

namespace {

// libclang finds its own symbols before those of a driver that brings another LLVM. Sanitizers
// replace functions of all libraries and take no such flag.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

/// Why the library cannot be used; empty where it can, and then `library` is it.
std::string open(const std::filesystem::path& file, Library& library) {
  void* handle = ::dlopen(file.c_str(), open_flags);
  if (handle == nullptr) return ::dlerror();
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
#define KILN_FIND(name) find(library.name, "clang_" #name);
  KILN_CLANG_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  return missing.empty() ? "" : fmt::format("{} has no {}", file.string(), missing);
}

Library open_library() {
  std::string why;
  for (const auto& file : libclang_files()) {
    Library library;
    const std::string reason = open(file, library);
    if (reason.empty()) {
      // The first index sets up LLVM's targets: here, where the caller knows what else is running.
      library.disposeIndex(library.createIndex(0, 0));
      return library;
    }
    if (why.empty()) why = reason;
  }
  throw Error(Errc::unsupported,
              fmt::format("reading OpenCL C takes libclang (libclang-N.so, Debian's packages "
                          "libclang1-N), which {}",
                          why.empty() ? "is not on this machine" : "cannot be used here: " + why));
}

}  // namespace

const Library& Library::get() {
  // Never closed: at exit its destructors would meet those of drivers that hold an LLVM, too.
  static const NeverDestroyed<Library> library(open_library());
  return *library;
}

std::string Library::text(CXString string) const {
  const char* characters = getCString(string);
  std::string copied = characters == nullptr ? "" : characters;
  disposeString(string);
  return copied;
}

std::uint32_t Library::offset(CXSourceLocation location) const {
  unsigned at = 0;
  getSpellingLocation(location, nullptr, nullptr, nullptr, &at);
  return at;
}

std::vector<CXType> Library::fields(CXType record) const {
  std::vector<CXCursor> found;
  Type_visitFields(
      record,
      [](CXCursor field, CXClientData data) {
        static_cast<std::vector<CXCursor>*>(data)->push_back(field);
        return CXVisit_Continue;
      },
      &found);
  std::vector<CXType> types;
  for (const CXCursor field : found) types.push_back(getCanonicalType(getCursorType(field)));
  return types;
}

}  // namespace kiln::clang
