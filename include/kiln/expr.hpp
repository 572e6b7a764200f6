#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kiln/error.hpp"

/// The expression language of specification files and tuning constraints: a small, pure part of
/// Python's. Texts are parsed and evaluated here; nothing is ever handed to an interpreter.
namespace kiln::expr {

/// python2: `/` of two integers floors (specification files). python3: `/` always gives a
/// floating-point number (tuning constraints). Everything else is the same.
enum class Dialect { python2, python3 };

class Value;
using List = std::vector<Value>;

/// A result: bool, 64-bit integer, double, string or list. Comparison and arithmetic follow
/// Python (a bool counts as 0 or 1 in arithmetic).
class KILN_API Value {
 public:
  using Data = std::variant<bool, std::int64_t, double, std::string, List>;
  Value() : data_(std::int64_t{0}) {}
  Value(bool v) : data_(v) {}
  Value(int v) : data_(std::int64_t{v}) {}
  Value(std::int64_t v) : data_(v) {}
  Value(double v) : data_(v) {}
  Value(const char* v) : data_(std::string(v)) {}
  Value(std::string v) : data_(std::move(v)) {}
  Value(List v) : data_(std::move(v)) {}

  const Data& data() const { return data_; }
  bool is_integer() const;  ///< integer or bool
  bool is_number() const;   ///< integer, bool or double
  bool is_list() const;
  bool is_string() const;
  /// The value as an integer; a double truncates toward zero. Fails for strings, lists, NaN and
  /// what does not fit 64 bits.
  Expected<std::int64_t> to_integer() const;
  Expected<double> to_double() const;
  bool truth() const;             ///< Python's truth value
  const char* type_name() const;  ///< "bool", "int", "float", "str", "list"
  std::string text() const;  ///< as Python's repr, doubles with the fewest digits that read back
  bool operator==(const Value& other) const;

 private:
  Data data_;
};

using Function = std::function<Expected<Value>(std::span<const Value>)>;

class Expression;
class Evaluator;

/// Names and functions that an expression may use. Copyable; const use is thread-safe.
class KILN_API Scope {
 public:
  Scope();  ///< holds the built-in functions: min, max, abs, int, float, len, round, sum, ceil,
            ///< floor, log2, sqrt
  void set(std::string name, Value value);
  void define(std::string name, std::size_t least_arguments, std::size_t most_arguments,
              Function function);
  /// A function whose body is an expression over its parameters and the names of the scope that
  /// it is called in. Fails where a name is not an identifier, a parameter is given twice or the
  /// body calls the function itself; recursion through other functions fails when it is called.
  Expected<void> define(std::string name, std::vector<std::string> parameters,
                        const Expression& body);
  const Value* find(std::string_view name) const;
  bool has_function(std::string_view name) const;
  std::vector<std::string> names() const;  ///< of values, sorted: for "did you mean" messages
  std::vector<std::string> functions() const;

 private:
  friend class Evaluator;
  struct Entry {
    std::size_t least, most;
    Function call;  ///< empty where there is a body
    std::vector<std::string> parameters;
    std::shared_ptr<const Expression> body;
  };
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, std::shared_ptr<const Entry>, std::less<>> functions_;
};

/// Bounds that keep hostile texts harmless.
struct Limits {
  std::size_t text_bytes = 1u << 20;
  std::size_t depth =
      200;  ///< nesting of the text, of lists, of calls; above 1,000 counts as 1,000
  std::size_t nodes = 100'000;    ///< of the syntax tree
  std::size_t steps = 1'000'000;  ///< of one evaluation with all its calls; 4 list items are a step
  std::size_t list_items = 1'000'000;
  std::size_t string_bytes = 1u << 20;
};

/// A parsed expression. Immutable; copies share; thread-safe.
///
/// Grammar: `or`, `and`, `not`, chained comparisons (`< <= > >= == != in not in`), `+ -`,
/// `* / // %`, unary `+ -`, `**` (right-associative, binds tighter than unary on its left),
/// `a if c else b`, calls of named functions, lists `[a, b]`, tuples in parentheses (as lists),
/// indexing `a[i]`, names, `True False`, integers (decimal, 0x, 0o, 0b, a trailing L in python2),
/// floating-point numbers, strings in '…' or "…".
class KILN_API Expression {
 public:
  static Expected<Expression> parse(std::string_view text, Dialect dialect, Limits limits = {});

  /// Errors carry the column (1-based) of the part that failed: overflow of 64 bits, division by
  /// zero, an unknown name, a wrong argument count, wrong types, a bound of Limits.
  Expected<Value> evaluate(const Scope& scope) const;

  /// One spelling for all texts with the same syntax tree: minimal parentheses and single blanks;
  /// parse(canonical()) gives the same tree. For Keys. Names the dialect only through its `/`:
  /// two dialects give the same text, so a Key must hold the dialect too.
  std::string canonical() const;
  /// Names used as values, sorted, each once.
  std::vector<std::string> free_names() const;
  /// Names called as functions, sorted, each once.
  std::vector<std::string> called_functions() const;
  Dialect dialect() const;

  struct Tree;

 private:
  friend class Evaluator;
  Expression(std::shared_ptr<const Tree> tree, Dialect dialect, Limits limits);
  std::shared_ptr<const Tree> tree_;
  Dialect dialect_;
  Limits limits_;
};

}  // namespace kiln::expr
