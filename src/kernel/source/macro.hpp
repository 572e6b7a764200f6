#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/source/lexer.hpp"

namespace kiln {

/// One definition of a preprocessor macro.
struct Macro {
  std::uint32_t name = 0;
  bool function_like = false, variadic = false;
  bool valid = true;                      ///< false: the #define is malformed
  std::vector<std::uint32_t> parameters;  ///< symbols; the last is __VA_ARGS__ or its name
  std::vector<Token> body;
  mutable int active = 0;  ///< expansions of it under way
};

/// Reads the operands of a #define.
Macro parse_macro(const Token* operands, std::size_t count, Symbols& symbols);

/// Whether two definitions expand to the same.
bool same_definition(const Macro& a, const Macro& b);

/// Everything a name may mean as a macro at one place. The preprocessor cannot always decide which
/// branch of a conditional is compiled; then a name has several meanings.
struct Meanings {
  std::vector<const Macro*> definitions;
  bool maybe_undefined = true;
  bool maybe_foreign = true;  ///< the compiler may define it by itself

  bool operator==(const Meanings&) const = default;
};

/// The meanings of either.
Meanings join(const Meanings& a, const Meanings& b);

/// Whether a compiler may predefine this name: reserved, of OpenCL or of its headers. All other
/// names are the program's own, so that without a definition they are surely undefined.
bool may_be_predefined(std::string_view name);

/// The meanings of every name, with a journal of what changed, so that the branches of an undecided
/// conditional can each start from the same state. Not thread-safe.
class MacroTable {
 public:
  explicit MacroTable(Symbols& symbols) : symbols_(symbols) {}
  /// A name that was never defined gets its first meaning here.
  const Meanings& look_up(std::uint32_t symbol);
  void set(std::uint32_t symbol, Meanings meanings);

  struct Change {
    std::uint32_t symbol;
    Meanings meanings;
  };
  std::size_t mark() const { return journal_.size(); }
  /// Undoes everything since the mark and returns what it had led to.
  std::vector<Change> roll_back(std::size_t mark);

 private:
  struct Entry {
    Meanings meanings;
    bool known = false;
    std::uint32_t round = 0;  ///< the last roll_back that met it
  };
  Symbols& symbols_;
  std::uint32_t round_ = 0;
  std::vector<Entry> entries_;
  std::vector<Change> journal_;  // the values before each change
};

/// Expands macros in runs of tokens (ISO C99 6.10.3), with one addition: where a name has several
/// meanings (see MacroTable), it stays as it is, marked undecided, and what each meaning gives is
/// appended to `alternatives`. Not thread-safe.
class MacroExpander {
 public:
  /// Tokens that one program may expand to, as a guard against macros that double at each level.
  static constexpr std::size_t max_tokens = 1'000'000;

  MacroExpander(Symbols& symbols, MacroTable& table, std::vector<Token>& alternatives)
      : symbols_(symbols), table_(table), alternatives_(alternatives) {}

  enum class Input { more_may_follow, complete };
  /// Appends the expansion to `out`. Returns how many tokens were used: fewer than all where more
  /// may follow and the last macro call is not finished.
  std::size_t expand(std::span<const Token> input, Input end, std::vector<Token>& out);

  /// Something could not be expanded faithfully: an invalid macro or call, or too much text.
  bool failed() const { return failed_; }

 private:
  struct Frame {
    std::vector<Token> storage;
    const Token *at, *end;
    const Macro* macro;  ///< disabled while its expansion is read; null for the input
  };
  using Arguments = std::vector<std::vector<Token>>;
  enum class Collected { yes, no_call, unfinished };

  /// Expands a list of its own to its end.
  void run(std::span<const Token> input, std::vector<Token>& out);
  /// Takes one token of the innermost frame, and what its expansion asks for.
  void step(std::size_t base, std::vector<Token>& out);
  void expand_name(Token name, std::size_t base, std::vector<Token>& out);
  void expand_undecided(Token name, const Meanings& meanings, std::size_t base,
                        std::vector<Token>& out);
  /// Reads the arguments of a call, if a bracket follows; they may begin in an expansion and end
  /// behind it.
  Collected collect(std::size_t base, Arguments& arguments);
  /// Leaves expansions that are read to their end, which makes their macros available again.
  void drop_ended(std::size_t base);
  void push(std::vector<Token> tokens, const Macro* macro);
  void emit(Token token, std::vector<Token>& out);

  bool fit_arguments(const Macro& macro, Arguments& arguments);
  std::vector<Token> substitute(const Macro& macro, const Arguments& arguments);
  /// ## between the last token of `left` and `right`.
  void paste(std::vector<Token>& left, const Token& right);
  /// Whether each meaning is a number or a type, so that an analysis may keep the bare name.
  bool is_trivial(const Meanings& meanings) const;
  bool is_undecided(const Token& token);

  Symbols& symbols_;
  MacroTable& table_;
  std::vector<Token>& alternatives_;
  std::vector<Frame> frames_;
  std::size_t produced_ = 0, depth_ = 0;
  Token invocation_;  // the outermost macro name being expanded
  const Token* invocation_at_ = nullptr;
  std::size_t invocation_out_ = 0;  // size of the output before it
  bool may_grow_ = false, unfinished_ = false, failed_ = false;
};

}  // namespace kiln
