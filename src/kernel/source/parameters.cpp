#include <algorithm>

#include "kernel/source/program.hpp"

namespace kiln {
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
