#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/facts/unit.hpp"

namespace kiln::safety {
namespace {

template <std::size_t N>
bool among(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}
bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

/// Names of group, range and offset queries that vendors spell in their own ways.
bool looks_like_an_id(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  static constexpr std::string_view fine[] = {"get_local_linear_id", "get_sub_group_id",
                                              "get_sub_group_local_id", "get_max_sub_group_size"};
  if (among(lower, fine) || has(lower, "sub_group") || has(lower, "subgroup")) return false;
  for (const std::string_view part :
       {"group_id",     "groupid",      "num_groups",    "numgroups",    "num_work",
        "global_size",  "globalsize",   "global_offset", "globaloffset", "linear_id",
        "linearid",     "linear_group", "group_linear",  "ctaid",        "tgid",
        "dispatch_ptr", "implicitarg",  "grid_size",     "gridsize",     "block_id",
        "blockidx"})
    if (has(lower, part)) return true;
  return false;
}

/// Reserved names whose meaning is known, and has nothing to do with groups.
bool is_known_reserved(std::string_view name) {
  static constexpr std::string_view known[] = {"__attribute__",
                                               "__attribute",
                                               "_Pragma",
                                               "__builtin_astype",
                                               "__builtin_expect",
                                               "__builtin_assume",
                                               "__builtin_unreachable",
                                               "__builtin_offsetof",
                                               "__builtin_clz",
                                               "__builtin_ctz",
                                               "__builtin_popcount",
                                               "__builtin_isnan",
                                               "__builtin_isinf",
                                               "__builtin_shufflevector",
                                               "__builtin_convertvector",
                                               "__builtin_choose_expr",
                                               "__builtin_constant_p",
                                               "_Static_assert",
                                               "_Alignof",
                                               "__alignof__",
                                               "__alignof",
                                               "__typeof__",
                                               "__typeof",
                                               "__has_builtin",
                                               "__has_feature"};
  return among(name, known);
}

}  // namespace

Rule rule_of(std::string_view name) {
  static constexpr std::string_view per_dimension[] = {"get_group_id", "get_num_groups",
                                                       "get_global_size", "get_global_offset"};
  static constexpr std::string_view linear[] = {"get_global_linear_id", "get_group_linear_id",
                                                "get_linear_group_id", "get_num_groups_linear"};
  static constexpr std::string_view fences[] = {"atomic_work_item_fence"};
  static constexpr std::string_view atomic_types[] = {
      "atomic_int",    "atomic_uint",   "atomic_long",     "atomic_ulong",
      "atomic_float",  "atomic_double", "atomic_intptr_t", "atomic_uintptr_t",
      "atomic_size_t", "atomic_flag",   "atomic_half",     "atomic_ptrdiff_t"};
  if (among(name, per_dimension)) return Rule::per_dimension;
  if (among(name, linear)) return Rule::linear;
  if (among(name, fences)) return Rule::none;
  if (among(name, atomic_types)) return Rule::atomic_type;
  if (name.starts_with("atomic_") || name.starts_with("atom_") || name.starts_with("__atomic") ||
      name.starts_with("__sync") || name.starts_with("__opencl_atomic") ||
      name.starts_with("__c11_atomic") || name.starts_with("atomicAdd") || has(name, "_atomic_"))
    return Rule::atomic;
  if (has(name, "_pipe") || name.starts_with("pipe_")) return Rule::pipe;
  if (name.starts_with("enqueue_") || name.starts_with("ndrange_") || name == "get_default_queue" ||
      name.starts_with("get_kernel_"))
    return Rule::enqueue;
  if (name.starts_with("write_image")) return Rule::image_write;
  if (name == "printf" || name == "__builtin_printf") return Rule::print;
  if (looks_like_an_id(name)) return Rule::unknown_id;
  if (name.starts_with("_") && !is_known_reserved(name)) return Rule::reserved;
  return Rule::none;
}

MemoryUse memory_use_of(std::string_view name) {
  if (name.starts_with("vload")) return MemoryUse::vector_load;
  if (name.starts_with("vstore")) return MemoryUse::vector_store;
  if (name.starts_with("async_work_group")) return MemoryUse::group_copy;
  if (rule_of(name) == Rule::atomic) return MemoryUse::atomic;
  if (name.starts_with("read_image")) return MemoryUse::image_read;
  if (name == "get_global_id") return MemoryUse::global_id;
  static constexpr std::string_view last[] = {"fract", "modf",   "sincos",
                                              "frexp", "remquo", "lgamma_r"};
  if (among(name, last)) return MemoryUse::write_last;
  static constexpr std::string_view through[] = {"to_global", "to_local", "to_private"};
  if (among(name, through)) return MemoryUse::pass_through;
  static constexpr std::string_view none[] = {"prefetch", "get_fence",        "wait_group_events",
                                              "printf",   "__builtin_expect", "__builtin_assume"};
  return among(name, none) ? MemoryUse::none : MemoryUse::unknown;
}

Unit::Unit(std::string_view text, std::string_view kernel,
           const std::vector<std::pair<std::string, std::string>>& macros)
    : source(preprocess(text, macros)), program(parse_program(source)) {
  rules_.reserve(source.symbols.size());
  uses_.reserve(source.symbols.size());
  for (std::uint32_t symbol = 0; symbol < source.symbols.size(); ++symbol) {
    rules_.push_back(rule_of(name(symbol)));
    uses_.push_back(memory_use_of(name(symbol)));
  }
  for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    by_name_[function.name].push_back(i);
    if (function.is_kernel && name(function.name) == kernel) kernels.push_back(i);
  }
  for (const ProgramVariable& variable : program.variables)
    if (variable.can_change) mutable_.insert(variable.name);
  whole_text = !program.well_formed ||
               std::any_of(source.obstacles.begin(), source.obstacles.end(), [](const auto& o) {
                 return o.kind == Obstacle::Kind::unbalanced_branch;
               });
  find_reachable();
}

const std::vector<std::uint32_t>* Unit::functions_named(std::uint32_t symbol) const {
  const auto found = by_name_.find(symbol);
  return found == by_name_.end() ? nullptr : &found->second;
}

void Unit::reach(std::uint32_t symbol, std::vector<std::uint32_t>& work, std::vector<bool>& seen) {
  const auto* functions = functions_named(symbol);
  if (functions == nullptr) return;
  for (const std::uint32_t function : *functions) {
    if (seen[function]) continue;
    seen[function] = true;
    work.push_back(function);
  }
}

/// A function's name anywhere counts as a call; what undecided macros stand for counts everywhere.
void Unit::find_reachable() {
  std::vector<std::uint32_t> work;
  std::vector<bool> seen(program.functions.size(), false);
  for (const std::uint32_t kernel : kernels) {
    seen[kernel] = true;
    work.push_back(kernel);
  }
  for (const Token& token : source.alternatives)
    if (token.kind == TokenKind::identifier) reach(token.code, work, seen);
  while (!work.empty()) {
    const Function& function = program.functions[work.back()];
    reachable.push_back(work.back());
    work.pop_back();
    for (std::uint32_t i = function.body.begin; i < function.body.end; ++i)
      if (source.tokens[i].kind == TokenKind::identifier) reach(source.tokens[i].code, work, seen);
  }
}

std::string Unit::place(std::uint16_t file, std::uint32_t line) const {
  // A Source begins with #line, which makes its main file the second name that the lexer met.
  const std::size_t main = source.files.size() > 1 ? 1 : 0;
  const std::string prefix = file == main || file == 0 ? "" : source.files[file] + " ";
  return prefix + "line " + std::to_string(line);
}

void add_message(std::vector<std::string>& messages, std::string message) {
  static constexpr std::size_t enough = 32;
  if (messages.size() < enough &&
      std::find(messages.begin(), messages.end(), message) == messages.end())
    messages.push_back(std::move(message));
}

namespace {

/// Which memory a declaration or cast speaks of.
enum class Space { local, global, unclear, none };

class Checker {
 public:
  Checker(const Unit& unit, KernelFacts& safety)
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
  KernelFacts& safety_;
  bool in_body_ = false, strict_ = false;
};

}  // namespace

void check_rules(const Unit& unit, KernelFacts& safety) {
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

// `size_t f(uint) __asm("_Z12get_group_idj");` declares f and calls get_group_id.
namespace {

/// alias, weakref and ifunc, with or without underscores.
bool is_renaming_attribute(const Token& token) {
  if (token.kind != TokenKind::identifier) return false;
  std::string_view name = token.text;
  if (name.starts_with("__") && name.ends_with("__") && name.size() > 4)
    name = name.substr(2, name.size() - 4);
  return name == "alias" || name == "weakref" || name == "ifunc";
}

}  // namespace

/// Only what stands outside of bodies declares functions in this way; asm within a body is looked
/// for where that is reached.
void check_linker_names(const Unit& unit, KernelFacts& safety) {
  const Preprocessed& source = unit.source;
  std::uint32_t i = 0;
  const auto look_until = [&](std::uint32_t end) {
    for (; i < end; ++i) {
      const Token& token = source.tokens[i];
      if (source.word(token) != Word::asm_ && !is_renaming_attribute(token)) continue;
      add_message(safety.reasons, unit.place(token) +
                                      ": gives a function another name for the linker (" +
                                      std::string(token.text) + ")");
    }
  };
  for (const Function& function : unit.program.functions) {
    look_until(function.body.begin);
    i = std::max(i, function.body.end);
  }
  look_until(static_cast<std::uint32_t>(source.tokens.size()));
}

}  // namespace kiln::safety
