#include "kernel/source/source_file.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/streams.hpp"

namespace kiln {
namespace {

/// Old and foreign line ends as \n: the driver sees the same lines, and the digest is the same.
void normalise(std::string& text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.find('\r') == text.npos) return;
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from) {
    const bool pair = text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n';
    if (!pair) text[to++] = text[from] == '\r' ? '\n' : text[from];
  }
  text.resize(to);
}

bool is_directive(const Token& token, std::string_view name) {
  return token.kind == TokenKind::directive && token.text == name;
}

/// X of `#ifndef X`, `#if !defined X` or `#if !defined(X)`; empty for anything else.
std::string_view guard_name(const std::vector<Token>& tokens) {
  const Token* operand = tokens.data() + 1;
  if (is_directive(tokens[0], "ifndef") && tokens[0].extent == 1) return operand[0].text;
  if (!is_directive(tokens[0], "if") || tokens[0].extent < 3) return {};
  if (operand[0].text != "!" || operand[1].text != "defined") return {};
  if (tokens[0].extent == 3) return operand[2].text;
  const bool bracketed = tokens[0].extent == 5 && operand[2].text == "(" && operand[4].text == ")";
  return bracketed ? operand[3].text : std::string_view{};
}

/// Whether the conditional at tokens[0] ends with the last token and has no other branch.
bool spans_file(const std::vector<Token>& tokens) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent) {
    if (tokens[i].kind != TokenKind::directive) continue;
    if (tokens[i].text.starts_with("if")) ++depth;
    if (depth == 1 && tokens[i].text.starts_with("el")) return false;
    if (tokens[i].text == "endif" && depth > 0 && --depth == 0)
      return i + 1 + tokens[i].extent == tokens.size();
  }
  return false;
}

bool has_include_guard(const std::vector<Token>& tokens) {
  if (tokens.empty()) return false;
  const std::string_view name = guard_name(tokens);
  const std::size_t second = 1 + tokens[0].extent;
  return !name.empty() && second < tokens.size() && is_directive(tokens[second], "define") &&
         tokens[second].extent >= 1 && tokens[second + 1].text == name && spans_file(tokens);
}

bool has_pragma_once(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent)
    if (is_directive(tokens[i], "pragma") && tokens[i].extent == 1 && tokens[i + 1].text == "once")
      return true;
  return false;
}

Expected<std::unique_ptr<SourceFile>> prepare(std::string text, std::string name) {
  if (text.size() > SourceFiles::max_bytes)
    return fail(Errc::bad_input, name + " has " + std::to_string(text.size()) +
                                     " bytes; at most 16 MiB were expected");
  auto file = std::make_unique<SourceFile>();
  file->text = std::move(text);
  normalise(file->text);
  if (const std::size_t nul = file->text.find('\0'); nul != std::string::npos) {
    const auto line = 1 + std::count(file->text.begin(), file->text.begin() + nul, '\n');
    return fail(Errc::bad_input, name + ":" + std::to_string(line) + ": a NUL byte (byte " +
                                     std::to_string(nul) + "); OpenCL C text was expected");
  }
  file->name = std::move(name);
  file->lexed = lex(file->text, file->name);
  file->has_guard = has_include_guard(file->lexed.tokens);
  file->pragma_once = has_pragma_once(file->lexed.tokens);
  return file;
}

}  // namespace

Expected<SourceFile*> SourceFiles::open(const std::filesystem::path& path, std::string name) {
  std::error_code error;
  const std::string key = std::filesystem::weakly_canonical(path, error).string();
  if (const auto known = by_path_.find(key); !error && known != by_path_.end())
    return known->second.get();
  auto text = read_text(path, max_bytes);
  if (!text) return tl::unexpected(std::move(text).error());
  auto file = prepare(*std::move(text), std::move(name));
  if (!file) return tl::unexpected(std::move(file).error());
  (*file)->number = static_cast<std::uint32_t>(by_path_.size());
  const auto folder = folder_of_input(path);
  (*file)->folder = folder.empty() ? std::filesystem::path(".") : folder;
  return (by_path_[key] = *std::move(file)).get();
}

std::vector<std::filesystem::path> SourceFiles::paths() const {
  std::vector<std::filesystem::path> paths;
  for (const auto& [key, file] : by_path_)
    if (!key.starts_with(' ')) paths.emplace_back(key);
  return paths;
}

Expected<SourceFile*> SourceFiles::hold(std::string text, std::string name) {
  auto file = prepare(std::move(text), std::move(name));
  if (!file) return tl::unexpected(std::move(file).error());
  // No canonical path begins with a blank, so a text never meets a file's key.
  return (by_path_[" text " + std::to_string(by_path_.size())] = *std::move(file)).get();
}

}  // namespace kiln
