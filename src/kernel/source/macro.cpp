#include "kernel/source/macro.hpp"

#include <algorithm>

#include "kernel/source/lexer.hpp"

namespace kiln {
namespace {

/// Parameters between brackets; returns the index past the closing one, or 0 where malformed.
std::size_t parse_parameters(const Token* operands, std::size_t count, Macro& macro,
                             Symbols& symbols) {
  std::size_t i = 2;
  while (i < count) {
    if (operands[i].is(punct(")"))) return i + 1;
    if (operands[i].is(punct("..."))) {
      macro.variadic = true;
      macro.parameters.push_back(symbols.intern("__VA_ARGS__"));
    } else if (operands[i].kind == TokenKind::identifier) {
      macro.parameters.push_back(operands[i].code);
      if (i + 1 < count && operands[i + 1].is(punct("..."))) {  // GNU: name...
        macro.variadic = true;
        ++i;
      }
    } else {
      return 0;
    }
    ++i;
    if (i < count && operands[i].is(punct(","))) ++i;
  }
  return 0;
}

}  // namespace

Macro parse_macro(const Token* operands, std::size_t count, Symbols& symbols) {
  Macro macro;
  if (count == 0 || operands[0].kind != TokenKind::identifier) {
    macro.valid = false;
    return macro;
  }
  macro.name = operands[0].code;
  std::size_t body = 1;
  // Only a bracket that touches the name makes the macro function-like.
  if (count > 1 && operands[1].is(punct("(")) && !(operands[1].flags & Token::space_before)) {
    macro.function_like = true;
    body = parse_parameters(operands, count, macro, symbols);
    if (body == 0) {
      macro.valid = false;
      body = count;
    }
  }
  macro.body.assign(operands + body, operands + count);
  return macro;
}

bool same_definition(const Macro& a, const Macro& b) {
  return a.function_like == b.function_like && a.variadic == b.variadic &&
         a.parameters == b.parameters && a.valid == b.valid &&
         std::equal(
             a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
             [](const Token& x, const Token& y) { return x.kind == y.kind && x.text == y.text; });
}

Meanings join(const Meanings& a, const Meanings& b) {
  Meanings both = a;
  both.maybe_undefined |= b.maybe_undefined;
  both.maybe_foreign |= b.maybe_foreign;
  for (const Macro* macro : b.definitions)
    if (std::none_of(both.definitions.begin(), both.definitions.end(),
                     [&](const Macro* known) { return same_definition(*known, *macro); }))
      both.definitions.push_back(macro);
  return both;
}

bool may_be_predefined(std::string_view name) {
  if (name.empty() || name[0] == '_') return true;
  const bool has_capital =
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!has_capital) return true;  // cl_khr_fp64, kernel_exec, linux
  static constexpr std::string_view beginnings[] = {
      "CL_",     "CLK_",     "FP_",      "FLT_",   "DBL_", "HALF_",       "M_",    "HUGE_",
      "ATOMIC_", "OPENCL",   "POCL",     "NVIDIA", "NV_",  "AMD",         "INTEL", "ARM_",
      "QCOM",    "MAXFLOAT", "INFINITY", "NAN",    "NULL", "MAX_WORK_DIM"};
  for (const std::string_view beginning : beginnings)
    if (name.starts_with(beginning)) return true;
  return name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_BIT");
}

const Meanings& MacroTable::look_up(std::uint32_t symbol) {
  if (symbol >= entries_.size())
    entries_.resize(std::max<std::size_t>(symbol + 1, symbols_.size()));
  Entry& entry = entries_[symbol];
  if (!entry.known) {
    entry.known = true;
    const std::string_view name = symbols_.name(symbol);
    entry.meanings.maybe_foreign = may_be_predefined(name);
    // Every OpenCL C compiler defines this one, with a value of its own (OpenCL C 1.2, 6.10).
    if (name == "__OPENCL_VERSION__") entry.meanings.maybe_undefined = false;
  }
  return entry.meanings;
}

void MacroTable::set(std::uint32_t symbol, Meanings meanings) {
  journal_.push_back({symbol, look_up(symbol)});
  entries_[symbol].meanings = std::move(meanings);
}

std::vector<MacroTable::Change> MacroTable::roll_back(std::size_t mark) {
  std::vector<Change> reached;
  ++round_;
  while (journal_.size() > mark) {
    Change& change = journal_.back();
    // The journal runs backwards here, so the first one seen of a name holds its last value.
    Entry& entry = entries_[change.symbol];
    if (entry.round != round_) reached.push_back({change.symbol, entry.meanings});
    entry.round = round_;
    entry.meanings = std::move(change.meanings);
    journal_.pop_back();
  }
  return reached;
}

std::size_t MacroExpander::expand(std::span<const Token> input, Input end,
                                  std::vector<Token>& out) {
  may_grow_ = end == Input::more_may_follow;
  unfinished_ = false;
  frames_.push_back({{}, input.data(), input.data() + input.size(), nullptr});
  while (!unfinished_ && !failed_) {
    drop_ended(0);
    if (frames_.size() == 1 && frames_[0].at == frames_[0].end) break;
    step(0, out);
  }
  for (const Frame& frame : frames_)
    if (frame.macro != nullptr) --frame.macro->active;
  frames_.clear();
  if (!unfinished_) return input.size();
  // The call goes on in text that is not here yet: forget its beginning, to read it again then.
  out.resize(invocation_out_);
  return static_cast<std::size_t>(invocation_at_ - input.data());
}

/// A list of its own, to the end: an argument, or one meaning of an undecided name.
void MacroExpander::run(std::span<const Token> input, std::vector<Token>& out) {
  static constexpr std::size_t max_depth = 200;
  if (depth_ >= max_depth) failed_ = true;
  if (failed_) return;
  ++depth_;
  const std::size_t base = frames_.size();
  frames_.push_back({{}, input.data(), input.data() + input.size(), nullptr});
  while (!failed_) {
    drop_ended(base);
    if (frames_.size() == base + 1 && frames_[base].at == frames_[base].end) break;
    step(base, out);
  }
  while (frames_.size() > base) {
    if (frames_.back().macro != nullptr) --frames_.back().macro->active;
    frames_.pop_back();
  }
  --depth_;
}

void MacroExpander::drop_ended(std::size_t base) {
  while (frames_.size() > base + 1 && frames_.back().at == frames_.back().end) {
    --frames_.back().macro->active;
    frames_.pop_back();
  }
}

void MacroExpander::push(std::vector<Token> tokens, const Macro* macro) {
  Frame& frame = frames_.emplace_back(Frame{std::move(tokens), nullptr, nullptr, macro});
  frame.at = frame.storage.data();
  frame.end = frame.at + frame.storage.size();
  ++macro->active;
}

void MacroExpander::emit(Token token, std::vector<Token>& out) {
  if (++produced_ > max_tokens) failed_ = true;
  if (depth_ > 0 || frames_.size() > 1) {  // within an expansion all stands at the call's line
    token.line = invocation_.line;
    token.file = invocation_.file;
    token.macro = invocation_.code;
  }
  out.push_back(token);
}

void MacroExpander::step(std::size_t base, std::vector<Token>& out) {
  Frame& frame = frames_.back();
  const Token& token = *frame.at++;
  const bool may_expand =
      token.kind == TokenKind::identifier && !(token.flags & Token::no_expansion);
  if (!may_expand || table_.look_up(token.code).definitions.empty()) return emit(token, out);
  if (depth_ == 0 && frames_.size() == 1) {
    invocation_ = token;
    invocation_at_ = &token;
    invocation_out_ = out.size();
  }
  expand_name(token, base, out);
}

void MacroExpander::expand_name(Token name, std::size_t base, std::vector<Token>& out) {
  const Meanings& meanings = table_.look_up(name.code);
  const bool active = std::any_of(meanings.definitions.begin(), meanings.definitions.end(),
                                  [](const Macro* macro) { return macro->active > 0; });
  if (active) {
    name.flags |= Token::no_expansion;
    return emit(name, out);
  }
  if (meanings.definitions.size() > 1 || meanings.maybe_undefined)
    return expand_undecided(name, Meanings(meanings), base, out);
  const Macro& macro = *meanings.definitions[0];
  if (!macro.valid) failed_ = true;
  if (!macro.function_like) return push(substitute(macro, {}), &macro);
  Arguments arguments;
  switch (collect(base, arguments)) {
    case Collected::unfinished:
      return;
    case Collected::no_call:
      return emit(name, out);
    case Collected::yes:
      break;
  }
  if (!fit_arguments(macro, arguments)) failed_ = true;
  if (!failed_) push(substitute(macro, arguments), &macro);
}

void MacroExpander::expand_undecided(Token name, const Meanings& meanings, std::size_t base,
                                     std::vector<Token>& out) {
  Arguments arguments;
  bool called = false;
  if (std::any_of(meanings.definitions.begin(), meanings.definitions.end(),
                  [](const Macro* macro) { return macro->function_like; })) {
    const Collected collected = collect(base, arguments);
    if (collected == Collected::unfinished) return;
    called = collected == Collected::yes;
  }
  for (const Macro* macro : meanings.definitions) {
    if (!macro->valid) failed_ = true;
    if (macro->function_like && !called) continue;
    Arguments fitted = arguments;
    if (macro->function_like && !fit_arguments(*macro, fitted)) failed_ = true;
    if (failed_) return;
    const std::vector<Token> body = substitute(*macro, fitted);
    ++macro->active;
    run(body, alternatives_);
    --macro->active;
  }
  name.flags |= Token::no_expansion;
  if (!is_trivial(meanings))
    name.flags |= Token::undecided;
  else if (is_type_word(classify_word(meanings.definitions[0]->body.empty()
                                          ? std::string_view{}
                                          : meanings.definitions[0]->body[0].text)))
    name.flags |= Token::type_like;
  emit(name, out);
  if (!called) return;
  Token bracket = name;
  bracket.kind = TokenKind::punctuator;
  bracket.flags = 0;
  const auto emit_punctuator = [&](std::string_view text) {
    bracket.text = text;
    bracket.code = punct(text);
    emit(bracket, out);
  };
  emit_punctuator("(");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) emit_punctuator(",");
    run(arguments[i], out);
  }
  emit_punctuator(")");
}

MacroExpander::Collected MacroExpander::collect(std::size_t base, Arguments& arguments) {
  const auto unfinished = [&] {
    if (base == 0 && depth_ == 0 && may_grow_) {
      unfinished_ = true;
      return Collected::unfinished;
    }
    return Collected::no_call;
  };
  drop_ended(base);
  if (frames_.back().at == frames_.back().end) return unfinished();
  if (!frames_.back().at->is(punct("("))) return Collected::no_call;
  ++frames_.back().at;
  arguments.emplace_back();
  for (int open = 1;;) {
    drop_ended(base);
    if (frames_.back().at == frames_.back().end) {
      const Collected end = unfinished();
      if (end == Collected::no_call) failed_ = true;  // the call never ends
      return end;
    }
    const Token& token = *frames_.back().at++;
    if (++produced_ > max_tokens) failed_ = true;
    if (failed_) return Collected::no_call;
    if (token.is(punct("("))) ++open;
    if (token.is(punct(")")) && --open == 0) return Collected::yes;
    if (token.is(punct(",")) && open == 1)
      arguments.emplace_back();
    else
      arguments.back().push_back(token);
  }
}

/// As many arguments as parameters, the variable ones joined; false where that cannot be.
bool MacroExpander::fit_arguments(const Macro& macro, Arguments& arguments) {
  const std::size_t wanted = macro.parameters.size();
  if (wanted == 0) return arguments.size() <= 1 && (arguments.empty() || arguments[0].empty());
  if (macro.variadic) {
    if (arguments.size() + 1 == wanted) arguments.emplace_back();
    while (arguments.size() > wanted) {
      std::vector<Token>& rest = arguments[wanted - 1];
      Token comma;
      comma.kind = TokenKind::punctuator;
      comma.text = ",";
      comma.code = punct(",");
      rest.push_back(comma);
      const std::vector<Token>& next = arguments[wanted];
      rest.insert(rest.end(), next.begin(), next.end());
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(wanted));
    }
  }
  return arguments.size() == wanted;
}

bool MacroExpander::is_trivial(const Meanings& meanings) const {
  return std::all_of(
      meanings.definitions.begin(), meanings.definitions.end(), [](const Macro* macro) {
        return !macro->function_like &&
               std::all_of(macro->body.begin(), macro->body.end(), [](const Token& token) {
                 return token.kind == TokenKind::number || token.is(punct("(")) ||
                        token.is(punct(")")) || token.is(punct("-")) ||
                        (token.kind == TokenKind::identifier &&
                         is_type_word(classify_word(token.text)));
               });
      });
}

bool MacroExpander::is_undecided(const Token& token) {
  if (token.flags & (Token::undecided | Token::type_like | Token::unclear_paste)) return true;
  if (token.kind != TokenKind::identifier || !(token.flags & Token::no_expansion)) return false;
  const Meanings& meanings = table_.look_up(token.code);
  return meanings.definitions.size() > 1 ||
         (meanings.definitions.size() == 1 && meanings.maybe_undefined);
}

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
