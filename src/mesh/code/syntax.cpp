#include "mesh/code/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "kernel/source/lexer.hpp"
#include "mesh/code/edits.hpp"
#include "mesh/code/syntax_reader.hpp"

namespace kiln::mesh {
namespace {

// Generic pointers and constants in global memory are the nearest to plain C that clang's OpenCL
// offers; the text that we make of it is OpenCL C 1.2. The built-in functions come from a table
// within clang, which takes 10 ms instead of 300 for their header.
constexpr const char* options[] = {"-x",
                                   "cl",
                                   "-Xclang",
                                   "-finclude-default-header",
                                   "-Xclang",
                                   "-fdeclare-opencl-builtins",
                                   "-target",
                                   "spir64",
                                   "-Wno-everything"};

std::string declare(const std::vector<ConstShape>& constants) {
  std::string text;
  for (const auto& constant : constants)
    text += fmt::format("extern const {} {}{};\n", name_of(constant.type), constant.name,
                        constant.scalar ? "" : fmt::format("[{}]", constant.dim));
  return text;
}

std::string copy(const ClangLibrary& clang, CXString string) {
  const char* characters = clang.getCString(string);
  std::string text = characters == nullptr ? "" : characters;
  clang.disposeString(string);
  return text;
}

/// The constant that an unknown name may have meant.
std::string hint(const std::string& message, const std::vector<ConstShape>& constants) {
  constexpr std::string_view start = "use of undeclared identifier '";
  if (!message.starts_with(start) || message.find("did you mean") != std::string::npos) return {};
  const std::string name =
      message.substr(start.size(), message.find('\'', start.size()) - start.size());
  std::vector<std::string_view> names;
  for (const auto& constant : constants) names.push_back(constant.name);
  const std::string meant = did_you_mean(name, names);
  return meant.empty() ? "; no constant of this name is declared" : meant;
}

/// Words that C gives to its users and OpenCL C does not.
constexpr std::string_view taken[] = {"constant", "generic", "global", "half",
                                      "kernel",   "local",   "pipe",   "private"};

/// The text with such words made names again.
SourcePtr as_names(const SourcePtr& source) {
  std::vector<Edit> edits;
  const std::string& text = source->text();
  const Lexed lexed = lex(text);
  for (const auto& token : lexed.tokens)
    if (token.kind == TokenKind::identifier &&
        std::find(std::begin(taken), std::end(taken), token.text) != std::end(taken))
      edits.push_back({token.end, 0, "_kiln"});
  if (edits.empty()) return source;
  return std::make_shared<const Source>(
      edited(text, 0, static_cast<std::uint32_t>(text.size()), std::move(edits)), source->name());
}

/// A text that libclang has read.
class Unit {
 public:
  static Expected<Unit> parse(const std::string& text, const char* standard,
                              std::initializer_list<const char*> more = {}) {
    const auto library = ClangLibrary::get();
    if (!library) return tl::unexpected(library.error());
    const ClangLibrary& clang = **library;
    constexpr const char* name = "kiln-mesh-kernel.cl";
    CXUnsavedFile file{name, text.data(), text.size()};
    std::vector<const char*> arguments(std::begin(options), std::end(options));
    arguments.push_back(standard);
    arguments.insert(arguments.end(), more);
    Unit unit(clang);
    CXTranslationUnit raw = nullptr;
    const CXErrorCode code = clang.parseTranslationUnit2(unit.index_.get(), name, arguments.data(),
                                                         static_cast<int>(arguments.size()), &file,
                                                         1, CXTranslationUnit_None, &raw);
    unit.unit_.reset(raw);
    if (code == CXError_Success && raw != nullptr) return unit;
    return fail(Errc::unsupported, fmt::format("libclang could not read the kernel (code {})",
                                               static_cast<int>(code)));
  }
  const ClangLibrary& clang() const { return *clang_; }
  CXCursor cursor() const { return clang_->getTranslationUnitCursor(unit_.get()); }

  /// The first error, with the user's file, line and column.
  std::optional<Error> first_error(const std::vector<ConstShape>& constants) const {
    for (unsigned i = 0; i < clang_->getNumDiagnostics(unit_.get()); ++i) {
      const std::unique_ptr<void, decltype(clang_->disposeDiagnostic)> diagnostic(
          clang_->getDiagnostic(unit_.get(), i), clang_->disposeDiagnostic);
      if (clang_->getDiagnosticSeverity(diagnostic.get()) < CXDiagnostic_Error) continue;
      CXString file;
      unsigned line = 0, column = 0;
      clang_->getPresumedLocation(clang_->getDiagnosticLocation(diagnostic.get()), &file, &line,
                                  &column);
      const std::string message = copy(*clang_, clang_->getDiagnosticSpelling(diagnostic.get()));
      return Error(Errc::bad_input, fmt::format("{}:{}:{}: {}{}", copy(*clang_, file), line, column,
                                                message, hint(message, constants)));
    }
    return std::nullopt;
  }

 private:
  explicit Unit(const ClangLibrary& clang)
      : clang_(&clang),
        index_(clang.createIndex(0, 0), clang.disposeIndex),
        unit_(nullptr, clang.disposeTranslationUnit) {}
  const ClangLibrary* clang_;
  std::unique_ptr<void, decltype(ClangLibrary::disposeIndex)> index_;
  std::unique_ptr<CXTranslationUnitImpl, decltype(ClangLibrary::disposeTranslationUnit)> unit_;
};

}  // namespace

int Syntax::function(const std::string& name) const {
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name) return static_cast<int>(i);
  return -1;
}

Expected<Syntax> read_syntax(const SourcePtr& written, const std::vector<ConstShape>& constants) {
  const SourcePtr source = as_names(written);
  const std::string prefix = declare(constants);
  const auto unit = Unit::parse(prefix + source->text(), "-cl-std=CL2.0");
  if (!unit) return tl::unexpected(unit.error());
  if (auto error = unit->first_error(constants)) return tl::unexpected(*error);
  Syntax syntax;
  syntax.source = source;
  syntax.constants = constants;
  SyntaxReader(unit->clang(), syntax, static_cast<std::uint32_t>(prefix.size()))
      .read(unit->cursor());
  return syntax;
}

std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options) {
  return value_or_throw(Unit::parse(text, "-cl-std=CL1.2", options)).first_error({});
}

namespace {

/// File and line of a byte, as #line directives count.
std::pair<std::string, std::uint32_t> place_of(const Syntax& syntax, std::uint32_t at) {
  const Lexed lexed = lex(syntax.source->text());
  for (const auto& token : lexed.tokens)
    if (token.kind != TokenKind::directive && token.end > at)
      return {lexed.files[token.file], token.line};
  return {syntax.source->name(), 1};
}

}  // namespace

std::string where(const Syntax& syntax, std::uint32_t at) {
  const auto [file, line] = place_of(syntax, at);
  return fmt::format("{}:{}", file, line);
}

std::string line_directive(const Syntax& syntax, std::uint32_t at) {
  const auto [file, line] = place_of(syntax, at);
  return fmt::format("#line {} \"{}\"\n", line, file);
}

}  // namespace kiln::mesh
