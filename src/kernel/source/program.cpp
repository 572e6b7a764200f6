#include "kernel/source/program.hpp"

#include <algorithm>

namespace kiln {
namespace {

bool opens(const Token& token) {
  return token.is(punct("(")) || token.is(punct("[")) || token.is(punct("{"));
}
bool closes(const Token& token) {
  return token.is(punct(")")) || token.is(punct("]")) || token.is(punct("}"));
}

class Parser {
 public:
  explicit Parser(const Preprocessed& source)
      : source_(source), tokens_(source.tokens), end_(static_cast<std::uint32_t>(tokens_.size())) {}

  SourceProgram run() {
    while (program_.well_formed && at_ < end_) item();
    return std::move(program_);
  }

 private:
  /// One declaration or definition.
  void item() {
    const std::uint32_t begin = at_;
    std::uint32_t signature = end_;  // the bracket that opens the parameters
    bool initialiser = false;
    for (; at_ < end_; ++at_) {
      const Token& token = tokens_[at_];
      if (token.is(punct(";"))) {
        declaration({begin, at_});
        ++at_;
        return;
      }
      if (source_.word(token) == Word::attribute || token.text == "_Pragma") {
        skip_operand();
      } else if (token.is(punct("="))) {
        initialiser = true;
      } else if (closes(token)) {
        break;
      } else if (opens(token)) {
        const std::uint32_t close = closing_bracket(tokens_, at_, end_);
        if (close == end_) break;
        if (token.is(punct("(")) && at_ > begin && tokens_[at_ - 1].kind == TokenKind::identifier)
          signature = at_;
        if (token.is(punct("{")) && !initialiser && signature != end_) {
          function(begin, signature, close);
          at_ = close + 1;
          return;
        }
        if (token.is(punct("{")) && !initialiser) members({at_ + 1, close});
        at_ = close;
      }
    }
    // A bracket that does not match, or text without an end.
    if (at_ > begin || at_ < end_) program_.well_formed = false;
  }

  void skip_operand() {
    if (at_ + 1 < end_ && tokens_[at_ + 1].is(punct("("))) {
      const std::uint32_t close = closing_bracket(tokens_, at_ + 1, end_);
      at_ = close == end_ ? end_ - 1 : close;
    }
  }

  void function(std::uint32_t begin, std::uint32_t signature, std::uint32_t close) {
    Function& function = program_.functions.emplace_back();
    function.name = tokens_[signature - 1].code;
    function.head = {begin, signature - 1};
    function.parameters = {signature + 1, closing_bracket(tokens_, signature, end_)};
    function.body = {at_ + 1, close};
    for (std::uint32_t i = begin; i < signature; ++i)
      if (source_.word(tokens_[i]) == Word::kernel) function.is_kernel = true;
  }

  void members(TokenRange range) {
    program_.aggregates.push_back(range);
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      if (tokens_[i].is(punct("*")))
        program_.has_pointer_members = true;
      else if (tokens_[i].is(punct("[")))
        program_.has_array_members = true;
    }
  }

  void declaration(TokenRange range) {
    bool is_typedef = false, constant = false, pointer = false, has_const = false;
    std::vector<std::uint32_t> names, commas;
    std::uint32_t declarators = range.end;  // where the specifiers end
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens_[i];
      const Word word = source_.word(token);
      is_typedef |= word == Word::typedef_;
      constant |= word == Word::constant || token.text == "sampler_t";
      has_const |= word == Word::const_;
      pointer |= token.is(punct("*"));
      if (token.is(punct("*"))) declarators = std::min(declarators, i);
      if (token.is(punct(","))) commas.push_back(i);
      const bool after_name = i > range.begin && tokens_[i - 1].kind == TokenKind::identifier &&
                              source_.word(tokens_[i - 1]) == Word::name;
      if (word == Word::attribute && i + 1 < range.end) {
        i = closing_bracket(tokens_, i + 1, range.end);
      } else if (token.is(punct("{")) || token.is(punct("[")) ||
                 (token.is(punct("(")) && after_name)) {
        i = closing_bracket(tokens_, i, range.end);  // members, a size, a prototype's parameters
      } else if (token.is(punct("="))) {
        i = end_of_initialiser(i, range.end);
      } else if (word == Word::name && is_declared(i, range)) {
        names.push_back(i);
        declarators = std::min(declarators, i);
      }
    }
    if (is_typedef) return define_types(range, names, commas, declarators);
    // `const int* p` may still change what it points to, and itself.
    const bool can_change = !constant && (!has_const || pointer);
    for (const std::uint32_t name : names)
      program_.variables.push_back({tokens_[name].code, can_change});
  }

  /// Whether the name at i is what a declaration declares: one of these stands behind it.
  bool is_declared(std::uint32_t i, TokenRange range) const {
    if (tokens_[i].kind != TokenKind::identifier) return false;
    if (i > range.begin && source_.word(tokens_[i - 1]) == Word::aggregate) return false;  // a tag
    if (i + 1 >= range.end) return true;
    const Token& next = tokens_[i + 1];
    return next.is(punct("=")) || next.is(punct(",")) || next.is(punct("[")) ||
           next.is(punct(")")) || source_.word(next) == Word::attribute;
  }

  /// `typedef T A, *B;`: what is said of B is T and *B, but not A.
  void define_types(TokenRange range, const std::vector<std::uint32_t>& names,
                    const std::vector<std::uint32_t>& commas, std::uint32_t declarators) {
    for (const std::uint32_t name : names) {
      TokenRange own{declarators, range.end};
      for (const std::uint32_t comma : commas) {
        if (comma < name) own.begin = comma + 1;
        if (comma > name) own.end = std::min(own.end, comma);
      }
      auto& ranges = program_.typedefs[tokens_[name].code];
      ranges.push_back({range.begin, declarators});
      ranges.push_back(own);
    }
  }

  /// The last token before the comma or end that follows an initialiser.
  std::uint32_t end_of_initialiser(std::uint32_t i, std::uint32_t end) const {
    while (i + 1 < end && !tokens_[i + 1].is(punct(","))) {
      ++i;
      if (opens(tokens_[i])) i = closing_bracket(tokens_, i, end);
    }
    return i;
  }

  const Preprocessed& source_;
  const std::vector<Token>& tokens_;
  SourceProgram program_;
  std::uint32_t at_ = 0, end_;
};

}  // namespace

std::uint32_t closing_bracket(const std::vector<Token>& tokens, std::uint32_t open,
                              std::uint32_t end) {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = open; i < end; ++i) {
    if (tokens[i].kind != TokenKind::punctuator) continue;
    switch (tokens[i].code) {
      case punct("("):
        wanted.push_back(punct(")"));
        break;
      case punct("["):
        wanted.push_back(punct("]"));
        break;
      case punct("{"):
        wanted.push_back(punct("}"));
        break;
      case punct(")"):
      case punct("]"):
      case punct("}"):
        if (wanted.empty() || wanted.back() != tokens[i].code) return end;
        wanted.pop_back();
        if (wanted.empty()) return i;
        break;
      default:
        break;
    }
  }
  return end;
}

SourceProgram parse_program(const Preprocessed& source) { return Parser(source).run(); }

namespace {

class ParameterParser {
 public:
  ParameterParser(const Preprocessed& source, const SourceProgram& program)
      : source_(source), tokens_(source.tokens), program_(program) {}

  Parameter parse(TokenRange range) {
    Parameter parameter;
    parameter.tokens = range;
    const std::uint32_t name = name_of(range);
    if (name < range.end) parameter.name = tokens_[name].code;
    bool is_const = false;
    seen_.clear();
    read(range, name, parameter, is_const);
    if (!parameter.is_pointer) parameter.points_to_const = false;
    return parameter;
  }

 private:
  /// The last name outside of [brackets] and attributes; in `float (*a)[4]` that is a.
  std::uint32_t name_of(TokenRange range) const {
    std::uint32_t name = range.end;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const bool bracket = tokens_[i].is(punct("[")) || tokens_[i].is(punct("{"));
      if (bracket || source_.word(tokens_[i]) == Word::attribute) {
        if (!bracket) ++i;
        i = closing_bracket(tokens_, std::min(i, range.end), range.end);
      } else if (tokens_[i].kind == TokenKind::identifier &&
                 source_.word(tokens_[i]) == Word::name) {
        name = i;
      }
    }
    return name;
  }

  void read(TokenRange range, std::uint32_t name, Parameter& parameter, bool& is_const) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is(punct("{"))) {  // a structure's members say nothing of the parameter
        i = std::min(closing_bracket(tokens_, i, range.end), range.end);
        continue;
      }
      if (token.is(punct("*")) || token.is(punct("["))) {
        if (!parameter.is_pointer) parameter.points_to_const = is_const;
        parameter.is_pointer = true;
        if (token.is(punct("*"))) {
          ++parameter.indirections;
        } else {
          ++parameter.dimensions;
          i = std::min(closing_bracket(tokens_, i, range.end), range.end);
        }
        continue;
      }
      if (token.is(punct("("))) parameter.bracketed = true;
      if (token.kind != TokenKind::identifier || i == name) continue;
      word(i, parameter, is_const);
      if (source_.word(token) == Word::attribute && i + 1 < range.end)
        i = closing_bracket(tokens_, i + 1, range.end);
    }
  }

  void word(std::uint32_t at, Parameter& parameter, bool& is_const) {
    const Token& token = tokens_[at];
    switch (source_.word(token)) {
      case Word::global:
        parameter.is_global = true;
        break;
      case Word::constant:
        parameter.is_constant = true;
        break;
      case Word::local:
        parameter.is_local = true;
        break;
      case Word::private_:
        parameter.is_private = true;
        break;
      case Word::const_:
        is_const = true;
        break;
      case Word::aggregate:
      case Word::sign:
      case Word::type:
        if (token.text.starts_with("image")) parameter.is_image = true;
        add_type(parameter, token.text);
        break;
      case Word::qualifier:
        parameter.is_pipe |= token.text == "pipe";
        parameter.can_write_image |=
            token.text.find("write") != token.text.npos;  // write_only, __read_write
        break;
      case Word::name: {
        const auto alias = program_.typedefs.find(token.code);
        if (alias == program_.typedefs.end()) {
          add_type(parameter, token.text);
          break;
        }
        if (std::find(seen_.begin(), seen_.end(), token.code) != seen_.end()) break;
        seen_.push_back(token.code);
        if (seen_.size() > max_typedefs) {  // too many to look through: it may be anything
          parameter.is_pointer = true;
          parameter.indirections = 2;
          break;
        }
        // What the typedef says holds here, too.
        for (const TokenRange range : alias->second) read(range, range.end, parameter, is_const);
        break;
      }
      default:
        break;
    }
  }

  static void add_type(Parameter& parameter, std::string_view text) {
    if (!parameter.type.empty()) parameter.type += ' ';
    parameter.type += text;
  }

  static constexpr std::size_t max_typedefs = 64;
  std::vector<std::uint32_t> seen_;  // the typedefs that were looked into already
  const Preprocessed& source_;
  const std::vector<Token>& tokens_;
  const SourceProgram& program_;
};

}  // namespace

std::vector<Parameter> parse_parameters(const Preprocessed& source, const SourceProgram& program,
                                        const Function& function) {
  std::vector<Parameter> parameters;
  ParameterParser parser(source, program);
  const TokenRange range = function.parameters;
  const std::vector<Token>& tokens = source.tokens;
  std::uint32_t begin = range.begin;
  for (std::uint32_t i = range.begin; i <= range.end; ++i) {
    if (i < range.end && (tokens[i].is(punct("(")) || tokens[i].is(punct("[")))) {
      i = std::min(closing_bracket(tokens, i, range.end), range.end - 1);
      continue;
    }
    if (i < range.end && !tokens[i].is(punct(","))) continue;
    const bool is_void = i == begin + 1 && tokens[begin].text == "void";
    if (i > begin && !is_void) parameters.push_back(parser.parse({begin, i}));
    begin = i + 1;
  }
  return parameters;
}

}  // namespace kiln
