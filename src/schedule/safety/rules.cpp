#include "schedule/safety/rules.hpp"

#include <algorithm>
#include <optional>

namespace kiln::safety {
namespace {

/// Which memory a declaration or cast speaks of.
enum class Space { local, global, unclear, none };

class Checker {
 public:
  Checker(const Unit& unit, SplitSafety& safety)
      : unit_(unit), source_(unit.source), safety_(safety) {}

  void run() {
    obstacles();
    if (unit_.whole_text) {
      check(source_.tokens, {0, static_cast<std::uint32_t>(source_.tokens.size())}, nullptr);
    } else {
      for (const std::uint32_t index : unit_.reachable) {
        const Function& function = unit_.program.functions[index];
        check(source_.tokens, function.parameters, &function);
        in_body_ = true;
        check(source_.tokens, function.body, &function);
        in_body_ = false;
      }
    }
    // What an undecided name may stand for is seen without what stands around the name.
    strict_ = true;
    check(source_.alternatives, {0, static_cast<std::uint32_t>(source_.alternatives.size())},
          nullptr);
    strict_ = false;
    types();
    for (const std::uint32_t kernel : unit_.kernels) images(unit_.program.functions[kernel]);
  }

 private:
  void refuse(const Token& at, const std::string& why) {
    add_message(safety_.reasons, unit_.place(at) + ": " + why + in_macro(at));
  }
  std::string in_macro(const Token& at) const {
    return at.macro == 0 ? "" : " (by the macro " + std::string(unit_.name(at.macro)) + ")";
  }

  void obstacles() {
    for (const Obstacle& obstacle : source_.obstacles) {
      const std::string place = unit_.place(obstacle.file, obstacle.line) + ": ";
      switch (obstacle.kind) {
        case Obstacle::Kind::unseen_include:
          add_message(safety_.reasons, place + "includes " + obstacle.what +
                                           ", which was not found to be looked at");
          break;
        case Obstacle::Kind::unbalanced_branch:
          add_message(safety_.suspicions, place + obstacle.what);
          break;
        case Obstacle::Kind::malformed:
          add_message(safety_.reasons, place + obstacle.what);
          break;
      }
    }
  }

  /// What types bring with them is not seen where they are used.
  void types() {
    const auto look = [&](TokenRange range) {
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const Token& token = source_.tokens[i];
        const bool shared =
            source_.word(token) == Word::volatile_ || unit_.rule(token) == Rule::atomic_type;
        if (shared && space_of(source_.tokens, range) != Space::local)
          refuse(token, "declares a type with " + std::string(token.text) +
                            " contents; devices do not see each other's writes");
      }
    };
    for (const auto& [name, ranges] : unit_.program.typedefs)
      for (const TokenRange range : ranges) look(range);
    for (const TokenRange range : unit_.program.aggregates) look(range);
  }

  void check(const std::vector<Token>& tokens, TokenRange range, const Function* function) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens[i];
      if (token.flags & Token::unclear_paste)
        refuse(token, "pastes tokens that depend on what the compiler defines");
      if (token.kind == TokenKind::identifier)
        name(tokens, range, i, function);
      else
        trigraph(tokens, range, i);
    }
  }

  /// Some compilers replace ??/ and its like before anything else; then the text is not this text.
  void trigraph(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i) {
    const Token& token = tokens[i];
    const bool in_string =
        token.kind == TokenKind::string && token.text.find("?\?/") != token.text.npos;
    const bool marks = token.is(punct("?")) && i + 2 < range.end && tokens[i + 1].is(punct("?")) &&
                       tokens[i + 1].begin == token.end && tokens[i + 2].begin == tokens[i + 1].end;
    if (in_string || marks) refuse(token, "contains a trigraph");
  }

  /// One name in reachable text.
  void name(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i,
            const Function* function) {
    const Token& token = tokens[i];
    words(tokens, range, i);
    const bool calls = i + 1 < range.end && tokens[i + 1].is(punct("("));
    const bool called = calls || strict_;
    const std::string shown(token.text);
    const Rule rule = unit_.rule(token);
    if (rule == Rule::none) {
      if (unit_.is_mutable_variable(token.code))
        refuse(token, "uses " + shown +
                          ", a variable at program scope, of which each device has "
                          "its own");
      return;
    }
    if (rule == Rule::per_dimension) return per_dimension(tokens, range, i, calls);
    if (rule == Rule::linear)
      return refuse(token, "calls " + shown + ", which counts over the whole range of one device");
    // A function of the program's own is looked at itself, whatever it is called.
    if (unit_.functions_named(token.code) != nullptr) return;
    if (rule == Rule::atomic && called) return atomic(tokens, range, i, function);
    if (rule == Rule::atomic_type) return atomic_type(tokens, range, i);
    if (rule == Rule::print) {
      add_message(safety_.suspicions, unit_.place(token) +
                                          ": calls printf; with several devices "
                                          "the order of its output changes");
      return;
    }
    if (!called && rule != Rule::unknown_id) return;
    if (!called && !token.text.starts_with("_")) return;  // a variable, such as num_groups
    if (rule == Rule::pipe) refuse(token, "uses a pipe (" + shown + ")");
    if (rule == Rule::enqueue) refuse(token, "enqueues work of its own (" + shown + ")");
    if (rule == Rule::image_write)
      refuse(token, "writes to an image (" + shown + "), and images are not merged");
    if (rule == Rule::unknown_id)
      refuse(token, "uses " + shown + ", which may tell work-groups or the range of one device");
    const bool is_keyword = source_.word(token) != Word::name;
    const bool is_constant = !calls && std::none_of(shown.begin(), shown.end(),
                                                    [](char c) { return c >= 'a' && c <= 'z'; });
    if (rule == Rule::reserved && !is_keyword && !is_constant)
      refuse(token, "calls " + shown + ", a reserved name that Kiln does not know");
  }

  /// get_group_id and its like: only a literal 1 or 2 is surely another dimension than 0. A macro
  /// is expanded by now, and anything else may be 0 for some argument of the kernel.
  void per_dimension(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i,
                     bool called) {
    const Token& token = tokens[i];
    const std::string shown(token.text);
    if (!called) return refuse(token, "names " + shown + " without calling it");
    std::string argument;
    const std::uint32_t close = closing_bracket(tokens, i + 1, range.end);
    for (std::uint32_t k = i + 2; k < close; ++k) argument += tokens[k].text;
    const std::optional<int> dimension = literal(tokens, i + 2, close);
    if (dimension && (*dimension == 1 || *dimension == 2)) return;  // never cut
    refuse(token,
           "calls " + shown + "(" + argument + "), " +
               (shown == "get_group_id"      ? "whose value starts again on each device"
                : shown == "get_num_groups"  ? "which counts the groups of one device only"
                : shown == "get_global_size" ? "which gives the size of one device's part"
                                             : "which gives the offset of one device's part") +
               (dimension ? "" : " if the argument is 0"));
  }

  /// The value of a small integer literal, in any number of brackets.
  std::optional<int> literal(const std::vector<Token>& tokens, std::uint32_t begin,
                             std::uint32_t end) const {
    while (end - begin >= 3 && tokens[begin].is(punct("(")) && tokens[end - 1].is(punct(")")))
      ++begin, --end;
    if (end - begin != 1 || tokens[begin].kind != TokenKind::number) return std::nullopt;
    std::string_view text = tokens[begin].text;
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != text.npos)
      text.remove_suffix(1);
    if (text == "0" || text == "0x0") return 0;
    if (text == "1" || text == "0x1") return 1;
    if (text == "2" || text == "0x2") return 2;
    return std::nullopt;
  }

  /// Within a work-group, which is never cut, atomics work as ever; between devices they do not.
  void atomic(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i,
              const Function* function) {
    safety_.uses_atomics = true;
    if (function != nullptr && is_local_operand(tokens, range, i + 2, *function)) return;
    refuse(tokens[i], "uses " + std::string(tokens[i].text) +
                          " on memory that is not clearly __local; devices do not see each "
                          "other's atomic operations");
  }

  /// Whether the first argument of a call is, for certain, an address in __local memory.
  bool is_local_operand(const std::vector<Token>& tokens, TokenRange range, std::uint32_t begin,
                        const Function& function) const {
    int open = 0;
    for (std::uint32_t k = begin; k < range.end && open >= 0; ++k) {
      const Token& token = tokens[k];
      open += token.is(punct("(")) - token.is(punct(")"));
      if ((token.is(punct(",")) && open == 0) || token.is(punct("?"))) return false;
      if (token.kind != TokenKind::identifier) continue;
      switch (source_.word(token)) {
        case Word::local:
          return true;
        case Word::global:
        case Word::generic:
          return false;
        case Word::name:
          return is_local_name(token.code, function);
        default:
          break;  // a type in a cast
      }
    }
    return false;
  }

  bool is_local_name(std::uint32_t symbol, const Function& function) const {
    for (const Parameter& parameter : parse_parameters(source_, unit_.program, function))
      if (parameter.name == symbol) return parameter.is_pointer && parameter.is_local;
    const std::vector<Token>& tokens = source_.tokens;
    bool local = false;
    for (std::uint32_t i = function.body.begin; i < function.body.end; ++i) {
      if (tokens[i].is_name(symbol) && is_declared_at(i, function.body)) {
        if (declared_space(tokens, i, function.body) != Space::local) return false;
        local = true;
      } else if (tokens[i].is_name(symbol) && may_be_declared_at(i, function.body)) {
        return false;
      }
    }
    return local;
  }

  /// Whether the name at i stands where a declaration puts it: after a type or a star.
  bool is_declared_at(std::uint32_t i, TokenRange body) const {
    if (i == body.begin) return false;
    const std::vector<Token>& tokens = source_.tokens;
    std::uint32_t k = i;
    while (k > body.begin &&
           (tokens[k - 1].is(punct("*")) || tokens[k - 1].is(punct(",")) ||
            tokens[k - 1].kind == TokenKind::identifier || tokens[k - 1].is(punct("]")) ||
            tokens[k - 1].is(punct("[")) || tokens[k - 1].kind == TokenKind::number))
      --k;
    // From the beginning of its statement on there are only words: a declaration has a type first.
    return k < i && (begins_type(source_.word(tokens[k])) ||
                     unit_.program.typedefs.contains(tokens[k].code));
  }

  /// Whether the name at i may be a later one of a declaration: `…, *name` or `…, name =`.
  bool may_be_declared_at(std::uint32_t i, TokenRange body) const {
    const std::vector<Token>& tokens = source_.tokens;
    if (i < body.begin + 2 || i + 1 >= body.end) return false;
    if (tokens[i - 1].is(punct("*"))) return tokens[i - 2].is(punct(","));
    return tokens[i - 1].is(punct(",")) &&
           (tokens[i + 1].is(punct("=")) || tokens[i + 1].is(punct(";")));
  }

  /// The address space that the declaration or cast around tokens[i] names.
  Space declared_space(const std::vector<Token>& tokens, std::uint32_t i, TokenRange range) const {
    std::uint32_t begin = i, end = i;
    const auto ends = [](const Token& token) {
      return token.is(punct(";")) || token.is(punct("{")) || token.is(punct("}")) ||
             token.is(punct("(")) || token.is(punct(")")) || token.is(punct("="));
    };
    while (begin > range.begin && !ends(tokens[begin - 1])) --begin;
    while (end < range.end && !ends(tokens[end])) ++end;
    // In a parameter list the neighbours are other parameters.
    if (!in_body_) {
      for (std::uint32_t k = i; k > begin; --k)
        if (tokens[k - 1].is(punct(","))) {
          begin = k;
          break;
        }
      for (std::uint32_t k = i; k < end; ++k)
        if (tokens[k].is(punct(","))) {
          end = k;
          break;
        }
    }
    return space_of(tokens, {begin, end});
  }

  /// What the words of a declaration say of memory.
  struct Spoken {
    bool star = false, local = false, global = false;
    std::vector<std::uint32_t> seen;  ///< the typedefs that were looked into
  };

  Space space_of(const std::vector<Token>& tokens, TokenRange range) const {
    Spoken spoken;
    listen(tokens, range, spoken);
    if (spoken.global) return Space::global;
    if (spoken.local) return Space::local;
    return spoken.star || strict_ ? Space::unclear : Space::none;
  }

  void listen(const std::vector<Token>& tokens, TokenRange range, Spoken& spoken) const {
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const Token& token = tokens[k];
      spoken.star |= token.is(punct("*"));
      const Word word = source_.word(token);
      spoken.local |= word == Word::local || word == Word::private_ || word == Word::constant;
      spoken.global |= word == Word::global || word == Word::generic;
      if (word != Word::name || token.kind != TokenKind::identifier) continue;
      const auto alias = unit_.program.typedefs.find(token.code);
      if (alias == unit_.program.typedefs.end() ||
          std::find(spoken.seen.begin(), spoken.seen.end(), token.code) != spoken.seen.end())
        continue;
      spoken.seen.push_back(token.code);
      if (spoken.seen.size() > 64) {  // too many to look through
        spoken.global = true;
        return;
      }
      for (const TokenRange part : alias->second) listen(source_.tokens, part, spoken);
    }
  }

  void atomic_type(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i) {
    safety_.uses_atomics = true;
    const Space space = declared_space(tokens, i, range);
    if (space == Space::global || space == Space::unclear)
      refuse(tokens[i], "uses " + std::string(tokens[i].text) +
                            " in memory that is not clearly __local; devices do not see each "
                            "other's atomic operations");
  }

  /// Keywords that matter.
  void words(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i) {
    const Token& token = tokens[i];
    switch (source_.word(token)) {
      case Word::local:
        safety_.uses_local_memory = true;
        break;
      case Word::asm_:
        refuse(token, "holds assembler code, which Kiln does not read");
        break;
      case Word::cpp:
        refuse(token, "uses C++ for OpenCL, which Kiln does not read");
        break;
      case Word::static_:
        static_variable(tokens, range, i);
        break;
      case Word::volatile_: {
        const Space space = declared_space(tokens, i, range);
        if (space == Space::global || space == Space::unclear)
          refuse(token,
                 "uses volatile memory that is not clearly __local; devices do not see "
                 "each other's writes");
        break;
      }
      case Word::qualifier:
        if (token.text == "pipe" && !in_body_) refuse(token, "has a pipe as parameter");
        break;
      default:
        break;
    }
  }

  /// A static variable of a function outlives the work-item, on one device.
  void static_variable(const std::vector<Token>& tokens, TokenRange range, std::uint32_t i) {
    for (std::uint32_t k = i; k < range.end && !tokens[k].is(punct(";")); ++k) {
      const Word word = source_.word(tokens[k]);
      if (word == Word::constant || word == Word::const_) return;
      if (tokens[k].is(punct("("))) return;  // a function, where all text is looked at
      if (tokens[k].is(punct("="))) break;
    }
    refuse(tokens[i], "keeps a static variable, of which each device has its own");
  }

  /// Only buffers are merged.
  void images(const Function& kernel) {
    for (const Parameter& parameter : parse_parameters(source_, unit_.program, kernel))
      if (parameter.is_image && parameter.can_write_image)
        refuse(source_.tokens[parameter.tokens.begin], "may write to the image " +
                                                           std::string(unit_.name(parameter.name)) +
                                                           ", and images are not merged");
  }

  const Unit& unit_;
  const Preprocessed& source_;
  SplitSafety& safety_;
  bool in_body_ = false, strict_ = false;
};

}  // namespace

void check_rules(const Unit& unit, SplitSafety& safety) {
  Checker(unit, safety).run();
  check_linker_names(unit, safety);
  // A macro of such a name would make the text say something else than it does.
  for (const std::uint32_t symbol : unit.source.defined) {
    const Rule rule = rule_of(unit.name(symbol));
    if (rule == Rule::per_dimension || rule == Rule::linear)
      add_message(safety.reasons, "defines a macro named " + std::string(unit.name(symbol)) +
                                      ", a built-in function");
  }
}

}  // namespace kiln::safety
