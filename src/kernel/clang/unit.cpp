#include "kernel/clang/unit.hpp"

#include <fmt/format.h>

namespace kiln::clang {
namespace {

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
