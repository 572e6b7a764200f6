#include "kernel/source/macro_expander.hpp"

#include <algorithm>

#include "kernel/source/words.hpp"

namespace kiln {

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

}  // namespace kiln
