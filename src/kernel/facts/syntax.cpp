#include "kernel/facts/syntax.hpp"

#include <algorithm>

namespace kiln::facts {

std::string Syntax::place(std::uint32_t at) const {
  const Token* token = Tree::place(at);
  if (token == nullptr) return "line 1";
  // A Source begins with #line, which makes its main file the second name that the lexer met.
  const std::size_t main = lexed.files.size() > 1 ? 1 : 0;
  const bool is_main = token->file == main || token->file == 0;
  return (is_main ? "" : lexed.files[token->file] + " ") + "line " + std::to_string(token->line);
}

std::string_view Syntax::macro_at(std::uint32_t at) const {
  for (const auto& use : uses)
    if (use.begin <= at && at < use.end) return use.macro;
  return {};
}

Syntax read_syntax(MacroFree source, const std::string& standard) {
  static constexpr int deepest = 400;
  Syntax syntax(std::move(source));
  if (const auto why = beyond_bounds(syntax.lexed)) {
    syntax.errors.push_back({0, *why});
    return syntax;
  }
  syntax.parse({standard}, {}, deepest);
  for (const auto& one : syntax.diagnostics())
    if (one.is_error) syntax.errors.push_back({one.at, "clang: " + one.message});
  return syntax;
}

void add_message(std::vector<std::string>& messages, std::string message) {
  static constexpr std::size_t enough = 32;
  if (messages.size() < enough && std::ranges::find(messages, message) == messages.end())
    messages.push_back(std::move(message));
}

}  // namespace kiln::facts
