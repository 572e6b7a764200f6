#include "kernel/clang/unit.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

#include "base/lifetime.hpp"

namespace kiln::clang {
namespace {

// By its folder first: clang finds its own headers from where the library lies.
constexpr const char* library_files[] = {"/usr/lib/llvm-15/lib/libclang-15.so.1",
                                         "libclang-15.so.1"};

// libclang finds its own symbols before those of a driver that brings another LLVM. Sanitizers
// replace functions of all libraries and take no such flag.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int open_flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

Library open_library() {
  void* handle = nullptr;
  for (const char* place : library_files)
    if ((handle = ::dlopen(place, open_flags)) != nullptr) break;
  if (handle == nullptr)
    throw Error(Errc::unsupported,
                "reading OpenCL C takes libclang 15 (libclang-15.so.1, Debian's package "
                "libclang1-15), which is not on this machine");
  Library library;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
#define KILN_FIND(name) find(library.name, "clang_" #name);
  KILN_CLANG_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty()) throw Error(Errc::unsupported, "libclang 15 here has no " + missing);
  // The first index sets up LLVM's targets: here, where the caller knows what else is running.
  library.disposeIndex(library.createIndex(0, 0));
  return library;
}

// Of the sizes of addresses, OpenCL's 64-bit one. The built-in functions come from a table within
// clang, which takes 2 ms instead of 300 for their header.
constexpr const char* fixed_options[] = {"-x",
                                         "cl",
                                         "-Xclang",
                                         "-finclude-default-header",
                                         "-Xclang",
                                         "-fdeclare-opencl-builtins",
                                         "-target",
                                         "spir64",
                                         "-ferror-limit=0"};
constexpr const char* file_name = "kiln-kernel.cl";

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

Unit::Unit(const Library& library)
    : library_(&library),
      index_(library.createIndex(0, 0), library.disposeIndex),
      unit_(nullptr, library.disposeTranslationUnit) {}

Unit Unit::parse(std::string_view text, const std::vector<std::string>& options,
                 std::string_view prefix, unsigned flags) {
  const Library& library = Library::get();
  const std::string all = std::string(prefix).append(text);
  CXUnsavedFile file{file_name, all.data(), all.size()};
  std::vector<const char*> arguments(std::begin(fixed_options), std::end(fixed_options));
  for (const auto& option : options) arguments.push_back(option.c_str());
  Unit unit(library);
  unit.prefix_ = static_cast<std::uint32_t>(prefix.size());
  CXTranslationUnit raw = nullptr;
  const CXErrorCode code =
      library.parseTranslationUnit2(unit.index_.get(), file_name, arguments.data(),
                                    static_cast<int>(arguments.size()), &file, 1, flags, &raw);
  unit.unit_.reset(raw);
  if (code == CXError_Success && raw != nullptr) return unit;
  throw Error(Errc::unsupported,
              fmt::format("libclang could not read the kernel (code {})", static_cast<int>(code)));
}

std::uint32_t Unit::at(CXSourceLocation location) const {
  const std::uint32_t byte = library_->offset(location);
  return byte < prefix_ ? 0 : byte - prefix_;
}

std::vector<Diagnostic> Unit::diagnostics() const {
  std::vector<Diagnostic> all;
  for (unsigned i = 0; i < library_->getNumDiagnostics(unit_.get()); ++i) {
    const std::unique_ptr<void, decltype(library_->disposeDiagnostic)> one(
        library_->getDiagnostic(unit_.get(), i), library_->disposeDiagnostic);
    Diagnostic& made = all.emplace_back();
    const CXSourceLocation location = library_->getDiagnosticLocation(one.get());
    made.is_error = library_->getDiagnosticSeverity(one.get()) >= CXDiagnostic_Error;
    CXString file;
    library_->getPresumedLocation(location, &file, &made.line, &made.column);
    made.file = library_->text(file);
    made.at = at(location);
    made.is_in_file = library_->Location_isFromMainFile(location) != 0;
    made.message = library_->text(library_->getDiagnosticSpelling(one.get()));
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Unit::skipped() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  CXSourceRangeList* list =
      library_->getSkippedRanges(unit_.get(), library_->getFile(unit_.get(), file_name));
  for (unsigned i = 0; list != nullptr && i < list->count; ++i)
    ranges.emplace_back(at(library_->getRangeStart(list->ranges[i])),
                        at(library_->getRangeEnd(list->ranges[i])));
  if (list != nullptr) library_->disposeSourceRangeList(list);
  return ranges;
}

}  // namespace kiln::clang
