// Kernels read by libclang: its cursors made a Syntax.
#include "mesh/codegen/syntax.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kernel/clang/unit.hpp"
#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh {

std::optional<ScalarType> scalar_of(const clang::Type* type) {
  static constexpr std::pair<CXTypeKind, ScalarType> scalars[] = {
      {CXType_Char_S, ScalarType::i8},    {CXType_SChar, ScalarType::i8},
      {CXType_Char_U, ScalarType::u8},    {CXType_UChar, ScalarType::u8},
      {CXType_Short, ScalarType::i16},    {CXType_UShort, ScalarType::u16},
      {CXType_Int, ScalarType::i32},      {CXType_UInt, ScalarType::u32},
      {CXType_Long, ScalarType::i64},     {CXType_ULong, ScalarType::u64},
      {CXType_LongLong, ScalarType::i64}, {CXType_ULongLong, ScalarType::u64},
      {CXType_Float, ScalarType::f32},    {CXType_Double, ScalarType::f64}};
  for (const auto& [kind, scalar] : scalars)
    if (kind == type->innermost) return scalar;
  return std::nullopt;
}

bool ends_in_floating(const clang::Type* type) {
  const auto scalar = scalar_of(type);
  return scalar && is_floating(*scalar);
}

bool is_floating(const clang::Type* type) { return type->depth == 0 && ends_in_floating(type); }

std::string spelling_of(const Syntax& syntax, const clang::Type* type) {
  std::string spelling = syntax.spelling(*type);
  for (const std::string_view word : {"__generic ", "__private ", "__global ", " __private",
                                      "__private", "__generic", "__global"})
    for (std::size_t at; (at = spelling.find(word)) != std::string::npos;)
      spelling.erase(at, word.size());
  return spelling;
}

namespace {

std::string declare(const std::vector<ConstShape>& constants) {
  std::string text;
  for (const auto& constant : constants)
    text += fmt::format("extern const {} {}{};\n", name_of(constant.type), constant.name,
                        constant.scalar ? "" : fmt::format("[{}]", constant.dim));
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
constexpr std::string_view opencl_words[] = {"constant", "generic", "global", "half",
                                             "kernel",   "local",   "pipe",   "private"};

/// The text with such words made names again.
std::string as_names(const std::string& text) {
  std::vector<Edit> edits;
  const Lexed lexed = lex(text);
  for (const auto& token : lexed.tokens)
    if (token.kind == TokenKind::identifier &&
        std::ranges::find(opencl_words, token.text) != std::end(opencl_words))
      edits.push_back({token.end, 0, "_kiln"});
  return edited(text, std::move(edits));
}

/// The first error, with the user's file, line and column.
std::optional<Error> first_error(const std::vector<clang::Diagnostic>& found,
                                 const std::vector<ConstShape>& constants) {
  for (const auto& one : found)
    if (one.is_error)
      return Error(Errc::bad_input, fmt::format("{}:{}:{}: {}{}", one.file, one.line, one.column,
                                                one.message, hint(one.message, constants)));
  return std::nullopt;
}

}  // namespace

int function_named(const Syntax& syntax, const std::string& name) {
  for (std::size_t i = 0; i < syntax.functions.size(); ++i)
    if (syntax.functions[i].name == name) return static_cast<int>(i);
  return -1;
}

Expected<Syntax> read_syntax(const SourcePtr& source, const std::vector<ConstShape>& constants) {
  Syntax syntax(as_names(source->text()));
  syntax.constants = constants;
  // Generic pointers and constants in global memory are the nearest to plain C that clang's OpenCL
  // offers; the text that we make of it is OpenCL C 1.2.
  const auto done = expected_from([&] {
    syntax.parse({"-cl-std=CL2.0", "-Wno-everything"}, declare(constants));
  });
  if (!done) return tl::unexpected(done.error());
  if (auto error = first_error(syntax.diagnostics(), constants)) return tl::unexpected(*error);
  return syntax;
}

std::optional<Error> opencl_error(const std::string& text,
                                  std::initializer_list<const char*> options) {
  std::vector<std::string> all = {"-Wno-everything", "-cl-std=CL1.2"};
  all.insert(all.end(), options.begin(), options.end());
  return first_error(clang::Unit::parse(text, all).diagnostics(), {});
}

namespace {

/// File and line of a byte, as #line directives count.
std::pair<std::string, std::uint32_t> place_of(const Syntax& syntax, std::uint32_t at) {
  const Token* token = syntax.place(at);
  if (token == nullptr) return {"", 1};
  return {syntax.lexed.files[token->file], token->line};
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
