#pragma once

#include <cstdint>
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

}  // namespace kiln
