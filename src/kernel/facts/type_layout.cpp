#include "kernel/facts/type_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>

#include "kernel/source/condition.hpp"

namespace kiln {
namespace {

struct BuiltinScalar {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array builtin_scalars{
    BuiltinScalar{"char", 1},   BuiltinScalar{"uchar", 1}, BuiltinScalar{"short", 2},
    BuiltinScalar{"ushort", 2}, BuiltinScalar{"int", 4},   BuiltinScalar{"uint", 4},
    BuiltinScalar{"long", 8},   BuiltinScalar{"ulong", 8}, BuiltinScalar{"float", 4},
    BuiltinScalar{"double", 8}, BuiltinScalar{"half", 2}};
constexpr std::array builtin_atomics{
    BuiltinScalar{"atomic_int", 4},   BuiltinScalar{"atomic_uint", 4},
    BuiltinScalar{"atomic_long", 8},  BuiltinScalar{"atomic_ulong", 8},
    BuiltinScalar{"atomic_float", 4}, BuiltinScalar{"atomic_double", 8},
    BuiltinScalar{"atomic_flag", 4}};

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    if (blank > 0) words.push_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return words;
}

/// "unsigned long int" → "ulong"; the word itself where there is one; empty for what is no type.
std::string joined_scalar(const std::vector<std::string_view>& words) {
  if (words.empty()) return "";
  if (words.size() == 1 && words[0] != "unsigned" && !words[0].starts_with("signed") &&
      !words[0].starts_with("__signed"))
    return std::string(words[0]);
  bool is_unsigned = false;
  std::string base;
  for (const auto word : words) {
    if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "int") {
      if (base.empty()) base = "int";
    } else if (word == "char" || word == "short" || word == "long") {
      if (!base.empty() && base != "int") return "";  // "long long" is reserved in OpenCL C
      base = word;
    } else if (word != "signed" && word != "__signed" && word != "__signed__") {
      return "";
    }
  }
  if (base.empty()) base = "int";
  return (is_unsigned ? "u" : "") + base;
}

std::size_t rounded_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

/// Follows types through typedefs and structures.
class LayoutReader {
 public:
  LayoutReader(const Preprocessed& source, const SourceProgram& program)
      : source_(source), tokens_(source.tokens), program_(program) {
    for (std::uint32_t i = 0; i < tokens_.size(); ++i)
      if (source_.word(tokens_[i]) == Word::aggregate) note_definition(i);
  }

  TypeLayout of_parameter(TokenRange range) {
    const auto type = specifiers(range);
    if (!type) return {};
    auto declared = declarator({type->next, range.end}, type->described);
    // An array that is a parameter is a pointer to its first dimension's elements.
    if (!declared || declared->levels > 1) return {};
    if (!declared->dimensions.empty()) {
      if (declared->levels == 1) return {};
      declared->dimensions.erase(declared->dimensions.begin());
    }
    return with_dimensions(*declared);
  }

 private:
  static constexpr int deepest = 200;
  static constexpr std::size_t largest = std::size_t{1} << 32;

  /// A type with its pointers and array dimensions, outermost first; 0 for [].
  struct Described {
    TypeLayout layout;  ///< of what the pointers point to
    int levels = 0;     ///< pointers
    std::vector<std::size_t> dimensions;
  };
  struct Specified {
    Described described;
    std::uint32_t next = 0;
    bool is_bare_aggregate = false;  ///< struct {…} without a tag
  };
  struct Attributes {
    bool packed = false;
    std::size_t alignment = 1;
  };

  void note_definition(std::uint32_t keyword) {
    std::uint32_t i = keyword + 1;
    while (i < tokens_.size() && source_.word(tokens_[i]) == Word::attribute) i = after_operand(i);
    if (i + 1 >= tokens_.size() || tokens_[i].kind != TokenKind::identifier ||
        !tokens_[i + 1].is(punct("{")))
      return;
    definitions_[tokens_[i].code].push_back(keyword);
  }

  std::uint32_t after_operand(std::uint32_t at) const {
    const auto end = static_cast<std::uint32_t>(tokens_.size());
    if (at + 1 >= end || !tokens_[at + 1].is(punct("("))) return at + 1;
    return std::min(closing_bracket(tokens_, at + 1, end) + 1, end);
  }

  /// Whether a compiler may see something else here.
  static bool doubtful(const Token& token) {
    return token.extent > 0 || (token.flags & (Token::undecided | Token::unclear_paste)) != 0;
  }

  static TypeLayout with_dimensions(const Described& described) {
    TypeLayout layout = described.layout;
    for (const auto dimension : described.dimensions) {
      if (dimension == 0 || layout.bytes > largest / dimension) return {};
      layout.bytes *= dimension;
      layout.name.clear();
    }
    return layout;
  }

  std::optional<Specified> specifiers(TokenRange range) {
    Specified result;
    std::string words;
    bool seen = false;
    std::uint32_t i = range.begin;
    while (i < range.end && tokens_[i].kind == TokenKind::identifier) {
      const Token& token = tokens_[i];
      if (doubtful(token)) return {};
      const Word word = source_.word(token);
      if (is_type_word(word)) {
        words += (words.empty() ? "" : " ") + std::string(token.text);
        seen = true;
        ++i;
      } else if (word == Word::aggregate) {
        if (seen) return {};
        seen = true;
        std::uint32_t next = i + 1;
        result.is_bare_aggregate = next < range.end && tokens_[next].is(punct("{"));
        auto layout = aggregate(i, range.end, next);
        if (!layout) return {};
        result.described.layout = *std::move(layout);
        i = next;
      } else if (word == Word::name) {
        if (seen) break;  // what is declared
        seen = true;
        auto alias = alias_of(token.code);
        if (!alias) return {};
        result.described = *std::move(alias);
        ++i;
      } else if (word == Word::attribute || token.text == "pipe" || !begins_type(word)) {
        return {};
      } else {
        ++i;  // a qualifier
      }
    }
    if (!words.empty()) {
      if (result.described.layout.known() || result.described.levels > 0) return {};
      result.described.layout = builtin_layout(words);
    }
    if (!seen) return {};
    result.next = i;
    return result;
  }

  /// Pointers, name and dimensions behind the specifiers, up to the range's end.
  std::optional<Described> declarator(TokenRange range, Described type) {
    bool named = false;
    std::vector<std::size_t> dimensions;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens_[i];
      if (doubtful(token)) return {};
      if (token.is(punct("*"))) {
        if (!type.dimensions.empty()) {  // a pointer to arrays that a typedef names
          type.layout = with_dimensions(type);
          type.dimensions.clear();
        }
        ++type.levels;
      } else if (token.is(punct("["))) {
        const std::uint32_t close = closing_bracket(tokens_, i, range.end);
        if (close == range.end) return {};
        const auto size = dimension({i + 1, close});
        if (!size) return {};
        dimensions.push_back(*size);
        i = close;
      } else if (token.kind == TokenKind::identifier && source_.word(token) == Word::name &&
                 !named) {
        named = true;
      } else if (token.kind != TokenKind::identifier || !is_qualifier(source_.word(token))) {
        return {};  // brackets, bit-fields, attributes
      }
    }
    type.dimensions.insert(type.dimensions.begin(), dimensions.begin(), dimensions.end());
    return type;
  }

  static bool is_qualifier(Word word) {
    return begins_type(word) && !is_type_word(word) && word != Word::aggregate &&
           word != Word::attribute;
  }

  std::optional<std::size_t> dimension(TokenRange range) const {
    if (range.begin == range.end) return 0;
    const auto begin = tokens_.begin() + range.begin;
    const std::vector<Token> tokens(begin, tokens_.begin() + range.end);
    if (std::any_of(tokens.begin(), tokens.end(), doubtful)) return {};
    const auto value = evaluate_constant(tokens);
    if (!value || *value < 1 || static_cast<std::uint64_t>(*value) > largest) return {};
    return static_cast<std::size_t>(*value);
  }

  /// One level deeper, while it lives.
  struct Level {
    explicit Level(int& counter) : depth(counter) { ++depth; }
    ~Level() { --depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    int& depth;
  };

  std::optional<Described> alias_of(std::uint32_t name) {
    // Each is read once: structures of structures would be read over and over. What is asked for
    // while it is read is within itself, and unknown.
    const auto [known, is_new] = aliases_.try_emplace(name);
    if (!is_new) return known->second;
    const auto found = program_.typedefs.find(name);
    const Level level(depth_);
    // Two ranges say one definition: specifiers and declarator.
    if (found == program_.typedefs.end() || found->second.size() != 2 || depth_ > deepest)
      return {};
    const auto type = specifiers(found->second[0]);
    if (!type || type->next != found->second[0].end) return {};
    return aliases_[name] = declarator(found->second[1], type->described);
  }

  /// struct, union or enum at `at`; `next` is set behind it. A doubt about its layout leaves that
  /// unknown, since a pointer to it may still be understood; nothing comes back for a doubt about
  /// where it ends.
  std::optional<TypeLayout> aggregate(std::uint32_t at, std::uint32_t end, std::uint32_t& next) {
    const bool is_enum = tokens_[at].text == "enum", is_union = tokens_[at].text == "union";
    auto attributes = std::optional(Attributes{});
    std::uint32_t i = at + 1;
    read_attributes(i, end, attributes);
    std::uint32_t tag = 0;
    if (i < end && tokens_[i].kind == TokenKind::identifier) tag = tokens_[i++].code;
    if (i >= end || !tokens_[i].is(punct("{"))) {
      next = i;
      return tag == 0 ? std::nullopt : std::optional(by_tag(tag, is_enum));
    }
    const std::uint32_t close = closing_bracket(tokens_, i, end);
    if (close == end) return {};
    const TokenRange body{i + 1, close};
    i = close + 1;
    read_attributes(i, end, attributes);
    next = i;
    const bool plain = attributes && !attributes->packed && attributes->alignment == 1;
    if (is_enum) return plain ? enum_layout(body) : TypeLayout{};
    if (!attributes || source_.packs) return TypeLayout{};
    return members(body, is_union, *attributes);
  }

  TypeLayout by_tag(std::uint32_t tag, bool is_enum) {
    const auto found = definitions_.find(tag);
    if (found == definitions_.end() || found->second.size() != 1) return {};
    const std::uint32_t keyword = found->second.front();
    if (doubtful(tokens_[keyword]) || (tokens_[keyword].text == "enum") != is_enum) return {};
    // Once each, as in alias_of().
    const auto [known, is_new] = tagged_.try_emplace(tag);
    if (!is_new) return known->second;
    const Level level(depth_);
    if (depth_ > deepest) return {};
    std::uint32_t next = 0;
    const auto end = static_cast<std::uint32_t>(tokens_.size());
    return tagged_[tag] = aggregate(keyword, end, next).value_or(TypeLayout{});
  }

  /// An int, unless a value needs more: long ones are a doubt.
  TypeLayout enum_layout(TokenRange body) const {
    for (std::uint32_t i = body.begin; i < body.end; ++i)
      if (doubtful(tokens_[i]) || tokens_[i].is(punct("<<")) ||
          (tokens_[i].kind == TokenKind::number && tokens_[i].text.size() > 9))
        return {};
    return {4, 4, ""};
  }

  void read_attributes(std::uint32_t& i, std::uint32_t end, std::optional<Attributes>& into) {
    while (i < end && source_.word(tokens_[i]) == Word::attribute) {
      const std::uint32_t after = std::min(after_operand(i), end);
      if (after < i + 5 || !tokens_[i + 2].is(punct("("))) into.reset();
      for (std::uint32_t k = i + 3; into && k + 2 < after; ++k) read_attribute(k, after, into);
      i = after;
    }
  }

  /// packed, aligned(N); any other one is a doubt.
  void read_attribute(std::uint32_t& at, std::uint32_t end, std::optional<Attributes>& into) {
    const Token& token = tokens_[at];
    if (token.is(punct(","))) return;
    if (token.text == "packed" || token.text == "__packed__") {
      into->packed = true;
      return;
    }
    const bool aligned = token.text == "aligned" || token.text == "__aligned__";
    const std::uint32_t close = aligned && at + 1 < end && tokens_[at + 1].is(punct("("))
                                    ? closing_bracket(tokens_, at + 1, end)
                                    : end;
    const auto size = close < end ? dimension({at + 2, close}) : std::nullopt;
    if (!size || !std::has_single_bit(*size) || doubtful(token)) {
      into.reset();
      return;
    }
    into->alignment = std::max(into->alignment, *size);
    at = close;
  }

  TypeLayout members(TokenRange body, bool is_union, const Attributes& attributes) {
    std::size_t bytes = 0, alignment = attributes.alignment;
    std::uint32_t begin = body.begin;
    for (std::uint32_t i = body.begin; i < body.end; ++i) {
      if (tokens_[i].is(punct("{"))) i = closing_bracket(tokens_, i, body.end);
      if (i >= body.end || !tokens_[i].is(punct(";"))) continue;
      const auto fields = member({begin, i});
      if (!fields) return {};
      for (const TypeLayout& field : *fields) {
        const std::size_t step = attributes.packed ? 1 : field.alignment;
        if (field.bytes > largest || bytes > largest) return {};
        const std::size_t offset = is_union ? 0 : rounded_up(bytes, step);
        bytes = std::max(bytes, offset + field.bytes);
        alignment = std::max(alignment, step);
      }
      begin = i + 1;
    }
    if (begin != body.end || bytes == 0) return {};  // empty structures are no OpenCL C
    return {rounded_up(bytes, alignment), alignment, ""};
  }

  /// `T a, b[4];`: the layout of each.
  std::optional<std::vector<TypeLayout>> member(TokenRange range) {
    const auto type = specifiers(range);
    if (!type) return {};
    std::vector<TypeLayout> fields;
    if (type->next == range.end) {
      // Its members are those of the structure around it; any other one declares nothing.
      if (!type->is_bare_aggregate || !type->described.layout.known()) return {};
      fields.push_back(type->described.layout);
      return fields;
    }
    std::uint32_t begin = type->next;
    for (std::uint32_t i = begin; i <= range.end; ++i) {
      if (i < range.end && tokens_[i].is(punct("[")))
        i = std::min(closing_bracket(tokens_, i, range.end), range.end);
      if (i < range.end && !tokens_[i].is(punct(","))) continue;
      const auto declared = declarator({begin, i}, type->described);
      if (!declared || declared->levels > 0) return {};
      const TypeLayout field = with_dimensions(*declared);
      if (!field.known()) return {};
      fields.push_back(field);
      begin = i + 1;
    }
    return fields;
  }

  const Preprocessed& source_;
  const std::vector<Token>& tokens_;
  const SourceProgram& program_;
  /// Tag → where the keyword of each definition stands.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> definitions_;
  std::unordered_map<std::uint32_t, TypeLayout> tagged_;
  std::unordered_map<std::uint32_t, std::optional<Described>> aliases_;
  int depth_ = 0;
};

}  // namespace

TypeLayout builtin_layout(std::string_view words) {
  const std::string joined = joined_scalar(split_words(words));
  for (const auto& atomic : builtin_atomics)
    if (joined == atomic.name) return {atomic.bytes, atomic.bytes, joined};
  const auto digits = std::min(joined.find_first_of("0123456789"), joined.size());
  const std::string_view width = std::string_view(joined).substr(digits);
  std::size_t lanes = 1;
  if (!width.empty()) {
    constexpr std::array<std::pair<std::string_view, std::size_t>, 5> widths{
        {{"2", 2}, {"3", 4}, {"4", 4}, {"8", 8}, {"16", 16}}};  // 3 takes the room of 4
    const auto known = std::find_if(widths.begin(), widths.end(),
                                    [&](const auto& one) { return one.first == width; });
    if (known == widths.end()) return {};
    lanes = known->second;
  }
  const std::string_view scalar = std::string_view(joined).substr(0, digits);
  for (const auto& one : builtin_scalars)
    if (scalar == one.name) return {one.bytes * lanes, one.bytes * lanes, joined};
  return {};
}

std::vector<TypeLayout> parameter_layouts(const Preprocessed& source, const SourceProgram& program,
                                          const Function& function) {
  std::vector<TypeLayout> layouts;
  LayoutReader reader(source, program);
  for (const Parameter& parameter : parse_parameters(source, program, function))
    layouts.push_back(program.well_formed ? reader.of_parameter(parameter.tokens) : TypeLayout{});
  return layouts;
}

}  // namespace kiln
