#pragma once

#include <optional>
#include <span>

#include "expr/tree.hpp"

/// Expressions over integers, fast: a constraint of a search space is evaluated millions of times,
/// and its values are almost always integers.
namespace kiln::expr {

/// A range of integers that may stand for a name whose value is not chosen yet, ends included.
struct Range {
  std::int64_t least = 0, most = 0;
};

/// What is known of a truth value.
enum class Truth : std::uint8_t { no, yes, unknown };

/// An expression with its names replaced by positions in an array of integers. Immutable;
/// thread-safe. Its answers are those of Expression::evaluate with a fresh Scope, or none.
class IntegerProgram {
 public:
  /// Positions follow `names`. None where the expression has something that is not for integers
  /// (strings, indexing, other functions than min, max, abs, int) or a name that is not listed.
  static std::optional<IntegerProgram> compile(const Expression& expression,
                                               std::span<const std::string> names);

  /// The value, equal by Python's == to the plain evaluator's. None where it is no integer, or
  /// too large to be sure of, or an error: then the plain evaluator is to be asked.
  std::optional<std::int64_t> evaluate(std::span<const std::int64_t> values) const;

  /// Whether the expression is true for all, for none, or perhaps for some of the values in these
  /// ranges. Interval arithmetic: `unknown` may be said too often, `yes` and `no` are sure, and
  /// then no choice of values is an error.
  Truth bound(std::span<const Range> ranges) const;

  /// Whether `bound` can say more than the plain value where not all is chosen: there is a
  /// comparison, and nothing whose range forgets its operands (% and //).
  bool bounds_well() const { return bounds_well_; }

 private:
  enum class Kind : std::uint8_t {
    constant,
    name,
    binary,
    compare,
    within,      ///< first child in the others
    not_within,  ///< first child not in the others
    negate,
    plus,
    invert,
    both,
    either,
    choose,
    least,
    most,
    magnitude
  };
  struct Node {
    Kind kind = Kind::constant;
    Operator op = Operator::add;
    Comparison comparison = Comparison::less;
    std::int64_t constant = 0;         ///< of a name: its position
    std::vector<std::uint32_t> parts;  ///< children
  };
  class Builder;

  bool run(std::uint32_t at, const std::int64_t* values, std::int64_t& result) const;
  bool run_binary(Operator op, std::int64_t left, std::int64_t right, std::int64_t& result) const;
  bool run_several(const Node& node, const std::int64_t* values, std::int64_t& result) const;
  /// None: nothing is known, not even that there is no error.
  std::optional<Range> span_of(std::uint32_t at, std::span<const Range> ranges) const;
  std::optional<Range> span_of_binary(Operator op, Range left, Range right) const;
  std::optional<Range> span_of_choice(const Node& node, std::span<const Range> ranges) const;
  std::optional<Range> span_of_several(const Node& node, std::span<const Range> ranges) const;

  std::vector<Node> nodes_;
  std::uint32_t root_ = 0;
  bool divides_ = false;  ///< has a `/` that gives a double: integers are sure below 2^53
  bool bounds_well_ = false;
};

}  // namespace kiln::expr
