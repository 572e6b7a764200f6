#include <algorithm>

#include "kernel/source/macro_expander.hpp"

namespace kiln {

/// A macro's body with its arguments in place, # and ## done (ISO C99 6.10.3.1 to 6.10.3.3).
std::vector<Token> MacroExpander::substitute(const Macro& macro, const Arguments& arguments) {
  const std::vector<Token>& body = macro.body;
  std::vector<Token> result;
  std::vector<std::vector<Token>> expanded(arguments.size());
  std::vector<bool> is_expanded(arguments.size(), false);
  const auto parameter_at = [&](std::size_t i) -> std::size_t {
    if (i >= body.size() || body[i].kind != TokenKind::identifier || arguments.empty())
      return arguments.size();
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), body[i].code);
    return found == macro.parameters.end()
               ? arguments.size()
               : static_cast<std::size_t>(found - macro.parameters.begin());
  };
  const auto is_paste = [&](std::size_t i) { return i < body.size() && body[i].is(punct("##")); };
  const auto expanded_argument = [&](std::size_t index) -> const std::vector<Token>& {
    if (!is_expanded[index]) run(arguments[index], expanded[index]);
    is_expanded[index] = true;
    return expanded[index];
  };

  bool pasting = false, left_empty = false;
  for (std::size_t i = 0; i < body.size() && !failed_; ++i) {
    std::vector<Token> single;
    const std::vector<Token>* pieces = &single;
    const std::size_t parameter = parameter_at(i);
    const bool last_variable = macro.variadic && parameter_at(i + 2) + 1 == arguments.size();
    if (body[i].is(punct(",")) && is_paste(i + 1) && last_variable) {
      // GNU: `, ## __VA_ARGS__` drops the comma where there are no variable arguments.
      if (!arguments.back().empty()) {
        result.push_back(body[i]);
        const std::vector<Token>& rest = expanded_argument(arguments.size() - 1);
        result.insert(result.end(), rest.begin(), rest.end());
      }
      i += 2;
      continue;
    }
    if (body[i].text == "__VA_OPT__") failed_ = true;
    if (macro.function_like && body[i].is(punct("#")) && parameter_at(i + 1) < arguments.size()) {
      Token text = body[i++];
      text.kind = TokenKind::string;
      text.text = "\"\"";  // no analysis reads what a string says
      single.push_back(text);
    } else if (parameter < arguments.size()) {
      pieces = pasting || is_paste(i + 1) ? &arguments[parameter] : &expanded_argument(parameter);
    } else {
      single.push_back(body[i]);
    }

    auto from = pieces->begin();
    if (pasting && !left_empty && !pieces->empty()) paste(result, *from++);
    result.insert(result.end(), from, pieces->end());
    produced_ += pieces->size();
    if (produced_ > max_tokens) failed_ = true;
    left_empty = pieces->empty() && (!pasting || left_empty);
    pasting = is_paste(i + 1);
    if (pasting) ++i;
  }
  return result;
}

void MacroExpander::paste(std::vector<Token>& left, const Token& right) {
  Token& token = left.back();
  const bool unclear = is_undecided(token) || is_undecided(right);
  const std::string_view text = symbols_.adopt(std::string(token.text) + std::string(right.text));
  const bool word = token.kind == TokenKind::identifier &&
                    (right.kind == TokenKind::identifier || right.kind == TokenKind::number) &&
                    text.find('.') == text.npos && text.find('+') == text.npos;
  if (word) {
    token.code = symbols_.intern(text);
    token.flags = 0;
  } else {
    const Lexed lexed = lex(text);
    if (lexed.tokens.size() != 1) {  // not one token: C leaves it undefined, compilers refuse it
      failed_ = true;
      return;
    }
    token.kind = lexed.tokens[0].kind;
    token.code = token.kind == TokenKind::punctuator ? lexed.tokens[0].code : symbols_.intern(text);
    token.flags = 0;
  }
  token.text = text;
  if (unclear) token.flags |= Token::unclear_paste;
}

}  // namespace kiln
