#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernel/clang/unit.hpp"
#include "kernel/facts/builtins.hpp"
#include "kernel/facts/preprocess.hpp"

namespace kiln::facts {
namespace {

/// A macro's use in the text, outside of directives and of other macros' arguments.
struct Expansion {
  std::uint32_t begin = 0, end = 0;
  std::string macro;
  std::string meaning;
};

class MacroExpander {
 public:
  MacroExpander(const Variant& variant, const Lexed& lexed, const std::vector<std::string>& options)
      : variant_(variant), lexed_(lexed), tokens_(lexed.tokens), options_(options) {
    for (const Token& token : tokens_)
      if (token.kind == TokenKind::directive) directives_.push_back(&token);
  }

  MacroFree run() {
    // First clang says which text is active and where macros are used, then what they stand for.
    const auto unit = clang::Unit::parse(
        variant_.text, options_, variant_.prefix,
        CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_SkipFunctionBodies);
    skipped_ = unit.skipped();
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (tokens_[i].kind == TokenKind::directive && !is_skipped(tokens_[i].begin))
        look_at_directive(i);
    take_errors(unit);
    find_expansions(unit);
    if (!expansions_.empty()) find_meanings();
    write();
    return std::move(out_);
  }

 private:
  bool is_skipped(std::uint32_t at) const {
    return std::ranges::any_of(
        skipped_, [&](const auto& range) { return range.first < at && at < range.second; });
  }
  /// The directive that a byte is in, or null.
  const Token* directive_at(std::uint32_t at) const {
    auto after =
        std::upper_bound(directives_.begin(), directives_.end(), at,
                         [](std::uint32_t place, const Token* d) { return place < d->begin; });
    return after != directives_.begin() && at < (*--after)->end ? *after : nullptr;
  }
  void problem(std::uint32_t at, std::string what) {
    out_.problems.push_back({at, std::move(what)});
  }

  void look_at_directive(std::size_t i) {
    const Token& token = tokens_[i];
    const std::string_view name = token.text;
    const std::string operand(token.extent > 0 ? tokens_[i + 1].text : std::string_view());
    if (name.starts_with("include") || name == "import" || name == "embed")
      problem(token.begin,
              fmt::format("includes {}, which was not found to be looked at", operand));
    if (const Rule rule = rule_of(operand);
        name == "define" && (rule == Rule::per_dimension || rule == Rule::linear))
      problem(token.begin, fmt::format("defines a macro named {}, a built-in function", operand));
    for (const std::string_view renaming : {"push_macro", "pop_macro", "redefine_extname", "weak"})
      if (name == "pragma" && operand == renaming) problem(token.begin, "#pragma " + operand);
  }

  /// What clang has against the text as far as directives and declarations go.
  void take_errors(const clang::Unit& unit) {
    for (const auto& one : unit.diagnostics()) {
      if (!one.is_error) continue;
      const Token* directive = one.is_in_file ? directive_at(one.at) : nullptr;
      if (directive != nullptr && directive->text == "error")
        out_.impossible = Problem{one.at, one.message};
      else if (directive == nullptr || !directive->text.starts_with("include"))
        problem(one.at, "clang: " + one.message);
    }
  }

  void find_expansions(const clang::Unit& unit) {
    const clang::Library& clang = unit.library();
    clang.for_children(unit.cursor(), [&](CXCursor cursor) {
      if (cursor.kind != CXCursor_MacroExpansion || !clang.is_in_file(cursor) ||
          unit.is_in_prefix(cursor))
        return;
      Expansion one{unit.begin(cursor), unit.end(cursor), clang.name(cursor), {}};
      const bool is_within = !expansions_.empty() && one.begin < expansions_.back().end;
      const Token* directive = directive_at(one.begin);
      const bool counts = directive == nullptr || directive->text == "pragma";  // unroll N
      if (!is_within && one.macro != "_Pragma" && counts) expansions_.push_back(std::move(one));
    });
  }

  /// The use of a macro on one line, without comments and directives.
  std::string use_of(const Expansion& one) const {
    std::string text;
    std::uint32_t end = one.begin;
    for (std::size_t i = lexed_.token_at(one.begin);
         i < tokens_.size() && tokens_[i].begin < one.end; ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::directive) {
        i += token.extent;
        continue;
      }
      if (is_skipped(token.begin)) continue;
      if (token.begin > end) text += ' ';
      text += token.text;
      end = token.end;
    }
    return text;
  }

  /// The preprocessor writes each use, where the same macros are defined, into a message.
  void find_meanings() {
    std::string text = variant_.prefix +
                       "#define kiln_text_(...) #__VA_ARGS__\n"
                       "#define kiln_text(...) kiln_text_(__VA_ARGS__)\n";
    std::size_t next = 0;
    const auto ask_until = [&](std::uint32_t end) {
      for (; next < expansions_.size() && expansions_[next].begin < end; ++next)
        text += fmt::format("#line {}\n#pragma message(\"{} \" kiln_text({}))\n",
                            line_of(expansions_[next].begin), next, use_of(expansions_[next]));
    };
    for (const Token& token : tokens_) {
      if (token.kind != TokenKind::directive || is_skipped(token.begin)) continue;
      if (token.text != "define" && token.text != "undef") continue;
      ask_until(token.begin);
      text += variant_.text.substr(token.begin, token.end - token.begin) + '\n';
    }
    ask_until(static_cast<std::uint32_t>(variant_.text.size()));
    const auto unit = clang::Unit::parse(text, options_);
    std::vector<bool> known(expansions_.size(), false);
    for (const auto& one : unit.diagnostics()) {
      std::size_t number = 0;
      const char* end = one.message.data() + one.message.size();
      const auto parsed = std::from_chars(one.message.data(), end, number);
      if (one.is_error || parsed.ec != std::errc() || number >= known.size() || *parsed.ptr != ' ')
        continue;
      known[number] = true;
      expansions_[number].meaning =
          one.message.substr(static_cast<std::size_t>(parsed.ptr + 1 - one.message.data()));
    }
    for (std::size_t i = 0; i < known.size(); ++i)
      if (!known[i])
        problem(expansions_[i].begin, "cannot expand the macro " + expansions_[i].macro);
  }
  std::uint32_t line_of(std::uint32_t at) const {
    const std::size_t i = lexed_.token_at(at);
    return i == tokens_.size() ? 1 : tokens_[i].line;
  }

  void write() {
    std::string blanked = variant_.text;
    for (const auto& [begin, end] : skipped_) blank(blanked, begin, end);
    for (const Token& token : tokens_)
      if (token.kind == TokenKind::directive && token.text != "line" && token.text != "pragma")
        blank(blanked, token.begin, token.end);
    std::uint32_t copied = 0;
    for (auto& one : expansions_) {
      out_.text.append(blanked, copied, one.begin - copied);
      const auto begin = static_cast<std::uint32_t>(out_.text.size());
      // A blank on either side: the use was a token of its own.
      out_.text += ' ' + one.meaning + ' ';
      out_.uses.push_back({begin, static_cast<std::uint32_t>(out_.text.size()), one.macro});
      out_.text.append(static_cast<std::size_t>(std::count(blanked.begin() + one.begin,
                                                           blanked.begin() + one.end, '\n')),
                       '\n');
      copied = one.end;
    }
    out_.text.append(blanked, copied);
  }

  const Variant& variant_;
  const Lexed& lexed_;
  const std::vector<Token>& tokens_;
  std::vector<const Token*> directives_;
  const std::vector<std::string>& options_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> skipped_;
  std::vector<Expansion> expansions_;
  MacroFree out_;
};

}  // namespace

MacroFree expand_macros(const Variant& variant, const Lexed& lexed,
                        const std::vector<std::string>& options) {
  return MacroExpander(variant, lexed, options).run();
}

}  // namespace kiln::facts
