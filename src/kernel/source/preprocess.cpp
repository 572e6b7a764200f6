#include "kernel/source/preprocess.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <unordered_map>

#include "kernel/source/condition.hpp"
#include "kernel/source/macro.hpp"

namespace kiln {
namespace {

class Preprocessor {
 public:
  explicit Preprocessor(std::string_view text) : lexed_(lex(text)) {
    out_.symbols = std::move(lexed_.symbols);
    out_.files = std::move(lexed_.files);
    out_.tokens.reserve(lexed_.tokens.size());
  }

  void define_on_command_line(const std::pair<std::string, std::string>& macro) {
    const std::string_view text = out_.symbols.adopt(macro.first + " " + macro.second);
    Lexed lexed = lex(text);
    for (Token& token : lexed.tokens) {
      if (token.kind == TokenKind::identifier) token.code = out_.symbols.intern(token.text);
      token.text = out_.symbols.adopt(std::string(token.text));
    }
    define(lexed.tokens.data(), lexed.tokens.size());
  }

  Preprocessed run() {
    const std::vector<Token>& tokens = lexed_.tokens;
    for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].extent) {
      if (tokens[i].kind == TokenKind::directive)
        directive(tokens[i], tokens.data() + i + 1);
      else if (live())
        pending_.push_back(tokens[i]);
    }
    if (!groups_.empty()) obstacle(groups_.back().where, "a conditional without #endif");
    flush(MacroExpander::Input::complete);
    pragma_operators(out_.tokens);
    pragma_operators(out_.alternatives);
    if (expander_.failed())
      out_.obstacles.push_back(
          {Obstacle::Kind::malformed, last_line_, last_file_, "a macro that Kiln cannot expand"});
    out_.words.reserve(out_.symbols.size());
    for (std::uint32_t symbol = 0; symbol < out_.symbols.size(); ++symbol)
      out_.words.push_back(classify_word(out_.symbols.name(symbol)));
    return std::move(out_);
  }

 private:
  /// The state of one #if … #endif.
  struct Group {
    Token where;
    std::size_t mark = 0;  ///< of the macro table, where it begins
    bool reached = false;  ///< it stands in text that is, or may be, compiled
    bool taken = false;    ///< some branch is compiled for sure, if no earlier one is
    bool maybe = false;    ///< some branch may be compiled
    bool else_seen = false;
    bool live = false;          ///< of the present branch
    std::size_t out_begin = 0;  ///< of the present branch
    std::vector<std::vector<MacroTable::Change>> outcomes;
  };

  bool live() const { return groups_.empty() || groups_.back().live; }

  void obstacle(const Token& at, std::string what,
                Obstacle::Kind kind = Obstacle::Kind::malformed) {
    out_.obstacles.push_back({kind, at.line, at.file, std::move(what)});
  }

  /// After these, a name stands for something that the text does not say.
  static constexpr std::string_view renaming_pragmas[] = {"push_macro", "pop_macro",
                                                          "redefine_extname", "weak"};

  static bool renames(std::string_view pragma) {
    return std::find(std::begin(renaming_pragmas), std::end(renaming_pragmas), pragma) !=
           std::end(renaming_pragmas);
  }

  /// _Pragma("...") does what #pragma does, wherever a macro puts it.
  void pragma_operators(const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::identifier || tokens[i].text != "_Pragma") continue;
      const bool readable = i + 2 < tokens.size() && tokens[i + 2].kind == TokenKind::string;
      const std::string_view said = readable ? tokens[i + 2].text : std::string_view();
      const bool changes =
          std::any_of(std::begin(renaming_pragmas), std::end(renaming_pragmas),
                      [&](std::string_view pragma) { return said.find(pragma) != said.npos; });
      out_.packs |= !readable || said.find("pack") != said.npos;
      if (!readable || changes) obstacle(tokens[i], "_Pragma(" + std::string(said) + ")");
    }
  }

  /// Expands the text since the last directive that matters, while macros mean what they mean now.
  void flush(MacroExpander::Input end = MacroExpander::Input::more_may_follow) {
    if (pending_.empty()) return;
    last_line_ = pending_.back().line;
    last_file_ = pending_.back().file;
    const std::size_t used = expander_.expand(pending_, end, out_.tokens);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(used));
  }

  void directive(const Token& self, const Token* operands) {
    const std::string_view name = self.text;
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      open_group(self, live() ? condition(self, operands) : Truth::no);
    } else if (name.starts_with("el") || name == "endif") {
      next_branch(self, operands);
    } else if (!live()) {
      return;
    } else if (name == "define") {
      flush();
      define(operands, self.extent);
    } else if (name == "undef") {
      flush();
      if (self.extent >= 1 && operands[0].kind == TokenKind::identifier)
        table_.set(operands[0].code, {{}, true, false});
    } else if (name == "include" || name == "include_next" || name == "import" || name == "embed") {
      obstacle(self, self.extent > 0 ? std::string(operands[0].text) : std::string(name),
               Obstacle::Kind::unseen_include);
    } else if (name == "pragma" && self.extent > 0) {
      out_.packs |= operands[0].text == "pack";
      if (renames(operands[0].text)) obstacle(self, "#pragma " + std::string(operands[0].text));
    }
  }

  /// Definitions live as long as the object: expansions and undone branches point to them.
  void define(const Token* operands, std::size_t count) {
    const Macro& macro = macros_.emplace_back(parse_macro(operands, count, out_.symbols));
    if (macro.name == 0) return;
    out_.defined.push_back(macro.name);
    table_.set(macro.name, {{&macro}, false, false});
  }

  Truth is_defined(const Token& name) {
    const Meanings& meanings = table_.look_up(name.code);
    if (meanings.definitions.empty() && !meanings.maybe_foreign) return Truth::no;
    return meanings.maybe_undefined ? Truth::unknown : Truth::yes;
  }

  /// The truth of an #if, #ifdef, #ifndef, #elif … at this place.
  Truth condition(const Token& self, const Token* operands) {
    if (self.text.ends_with("def")) {
      if (self.extent == 0 || operands[0].kind != TokenKind::identifier) return Truth::unknown;
      const Truth defined = is_defined(operands[0]);
      if (!self.text.ends_with("ndef") || defined == Truth::unknown) return defined;
      return defined == Truth::yes ? Truth::no : Truth::yes;
    }
    std::vector<Token> replaced, expanded;
    for (std::uint32_t i = 0; i < self.extent; ++i) {
      if (operands[i].text != "defined") {
        replaced.push_back(operands[i]);
        continue;
      }
      const bool bracket = i + 3 < self.extent && operands[i + 1].is(punct("("));
      i += bracket ? 2 : 1;
      if (i >= self.extent || operands[i].kind != TokenKind::identifier) return Truth::unknown;
      Token value = operands[i];
      const Truth defined = is_defined(value);
      value.kind = defined == Truth::unknown ? TokenKind::unknown : TokenKind::number;
      value.text = defined == Truth::yes ? "1" : "0";
      replaced.push_back(value);
      if (bracket) ++i;
    }
    // What a condition's macros may stand for is no part of the program.
    const std::size_t alternatives = out_.alternatives.size();
    expander_.expand(replaced, MacroExpander::Input::complete, expanded);
    out_.alternatives.resize(alternatives);
    return evaluate_condition(expanded, [this](const Token& name) {
      const Meanings& meanings = table_.look_up(name.code);
      return meanings.definitions.empty() && !meanings.maybe_foreign;
    });
  }

  /// A conditional begins. Within text that is not compiled, none of its branches is.
  void open_group(const Token& self, Truth truth) {
    const bool reached = live();
    if (reached) flush();
    Group& group = groups_.emplace_back();
    group.where = self;
    group.reached = reached;
    group.mark = table_.mark();
    begin_branch(group, truth);
  }

  /// A branch is live unless an earlier one is taken for sure or its condition is false. Each live
  /// branch starts from the macros as they were before the conditional (end_branch saw to that).
  void begin_branch(Group& group, Truth truth) {
    group.live = group.reached && !group.taken && truth != Truth::no;
    group.out_begin = out_.tokens.size();
    if (!group.live) return;
    if (truth == Truth::yes)
      group.taken = true;
    else
      group.maybe = true;
  }

  /// Keeps what the branch did to the macros, and undoes it for the next one.
  void end_branch(Group& group) {
    if (!group.live) return;
    flush();
    if (group.maybe && !(pending_.empty() && balanced(group.out_begin)))
      obstacle(group.where, "a conditional whose branches do not close their brackets",
               Obstacle::Kind::unbalanced_branch);
    if (group.maybe)
      for (std::size_t i = group.out_begin; i < out_.tokens.size(); ++i) ++out_.tokens[i].extent;
    group.outcomes.push_back(table_.roll_back(group.mark));
  }

  /// Whether the tokens since `begin` close what they open. Text of which this does not hold can
  /// only be matched with the rest of the program by the one who knows which branch is compiled.
  bool balanced(std::size_t begin) const {
    std::vector<std::uint32_t> open;
    for (std::size_t i = begin; i < out_.tokens.size(); ++i) {
      const Token& token = out_.tokens[i];
      if (token.kind != TokenKind::punctuator) continue;
      if (token.code == punct("(")) open.push_back(punct(")"));
      if (token.code == punct("[")) open.push_back(punct("]"));
      if (token.code == punct("{")) open.push_back(punct("}"));
      if (token.code == punct(")") || token.code == punct("]") || token.code == punct("}")) {
        if (open.empty() || open.back() != token.code) return false;
        open.pop_back();
      }
    }
    return open.empty();
  }

  void next_branch(const Token& self, const Token* operands) {
    if (groups_.empty()) return obstacle(self, "#" + std::string(self.text) + " without #if");
    end_branch(groups_.back());
    if (self.text == "endif") return close_group();
    Group& group = groups_.back();
    if (group.else_seen) obstacle(self, "#" + std::string(self.text) + " after #else");
    group.live = false;
    if (self.text == "else") {
      group.else_seen = true;
      begin_branch(group, Truth::yes);
    } else {
      begin_branch(group, group.reached && !group.taken ? condition(self, operands) : Truth::no);
    }
  }

  /// After a conditional, a name may mean what it means after any of the branches.
  void close_group() {
    Group group = std::move(groups_.back());
    groups_.pop_back();
    if (!group.reached) return;
    if (!group.taken) group.outcomes.emplace_back();  // no branch at all
    struct Joined {
      Meanings meanings{{}, false, false};
      std::size_t outcomes = 0;
    };
    std::unordered_map<std::uint32_t, Joined> changed;
    for (const auto& outcome : group.outcomes) {
      for (const auto& change : outcome) {
        Joined& joined = changed[change.symbol];
        joined.meanings = join(joined.meanings, change.meanings);
        ++joined.outcomes;
      }
    }
    for (auto& [symbol, joined] : changed) {
      if (joined.outcomes < group.outcomes.size())  // some branch left it as it was
        joined.meanings = join(joined.meanings, table_.look_up(symbol));
      table_.set(symbol, std::move(joined.meanings));
    }
  }

  Lexed lexed_;
  Preprocessed out_;
  std::deque<Macro> macros_;
  MacroTable table_{out_.symbols};
  MacroExpander expander_{out_.symbols, table_, out_.alternatives};
  std::vector<Group> groups_;
  std::vector<Token> pending_;
  std::uint32_t last_line_ = 1;
  std::uint16_t last_file_ = 0;
};

}  // namespace

Preprocessed preprocess(std::string_view text,
                        const std::vector<std::pair<std::string, std::string>>& macros) {
  Preprocessor preprocessor(text);
  for (const auto& macro : macros) preprocessor.define_on_command_line(macro);
  return preprocessor.run();
}

}  // namespace kiln
