#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/integer_program.hpp"
#include "tune/space/parameter.hpp"

/// How the valid configurations of a space are found. Parameters that constraints join form a
/// group; the valid combinations of a group are enumerated depth first by Checkers, one for each
/// constraint, into a Component, which is a table with an index.
namespace kiln::tune {

/// A constraint over positions of values in place of values. Remembers what it found for each
/// combination of its own parameters' values, since a search comes by each of them many times.
/// Not thread-safe.
class Checker {
 public:
  enum class Verdict : std::uint8_t { unknown, no, yes, error };
  /// Whether its errors count. Those of a part of an `and` do not: the parts before it may be what
  /// keeps it from them. They pass, and the whole decides.
  enum class Role : bool { prunes, decides };

  Checker(const Constraint& constraint, std::span<const Parameter> parameters, Role role);

  /// The parameters that it needs, ascending.
  std::span<const std::size_t> parameters() const { return needs_; }
  /// `positions`: of each parameter of the space; those that are needed must be chosen.
  Verdict check(std::span<const std::uint16_t> positions);
  /// Whether bound() may refuse before all is chosen.
  bool bounds_well() const { return program_ && program_->bounds_well() && needs_.size() > 1; }
  /// False where no choice of the parameters that are not chosen yet can satisfy it.
  bool may_hold(std::span<const std::uint16_t> positions, const std::vector<bool>& chosen);
  /// Whether it has refused something, and never accepted anything.
  bool refuses_all() const { return has_refused_ && !has_accepted_; }
  /// The error behind Verdict::error: the constraint, the values, what went wrong.
  Error error(std::span<const std::uint16_t> positions) const;
  const std::string& text() const { return constraint_.text; }

 private:
  void count(Verdict verdict);
  Verdict evaluate(std::span<const std::uint16_t> positions) const;
  Expected<expr::Value> plain(std::span<const std::uint16_t> positions) const;

  Constraint constraint_;
  std::span<const Parameter> parameters_;
  Role role_;
  std::vector<std::size_t> needs_;
  std::vector<std::size_t> strides_;                 ///< of each needed one in `known_`
  std::vector<Verdict> known_;                       ///< empty where it would be too large
  std::vector<std::vector<std::int64_t>> integers_;  ///< each needed one's values
  std::vector<expr::Range> domains_;
  std::optional<expr::IntegerProgram>
      program_;                      ///< none: strings, floating-point numbers, rare functions
  std::vector<expr::Range> ranges_;  ///< for may_hold
  bool has_accepted_ = false, has_refused_ = false;
};

/// Valid combinations of some parameters' values: a table with a column of positions for each,
/// and an index that finds a row in O(1). A space is the product of such tables, since parameters
/// that no constraint joins choose independently. Immutable once indexed; const use thread-safe.
class Component {
 public:
  /// The parameters of the space that its columns stand for.
  explicit Component(std::vector<std::size_t> parameters);

  std::span<const std::size_t> parameters() const { return parameters_; }
  std::size_t rows() const { return columns_.empty() ? 1 : columns_.front().size(); }
  std::uint16_t position(std::size_t row, std::size_t column) const {
    return columns_[column][row];
  }

  /// Adds a row from the positions of all the space's parameters.
  void add(std::span<const std::uint16_t> positions);
  /// To be called once, behind the last row. False where a row stands twice.
  bool index();
  /// The row with these positions (of all the space's parameters).
  std::optional<std::size_t> find(std::span<const std::uint16_t> positions) const;

 private:
  std::uint64_t hash(std::span<const std::uint16_t> positions) const;
  bool equals(std::size_t row, std::span<const std::uint16_t> positions) const;
  /// The slot that holds the row with these positions, or the empty one where it would go.
  std::size_t slot_of(std::span<const std::uint16_t> positions) const;

  std::vector<std::size_t> parameters_;
  std::vector<std::vector<std::uint16_t>> columns_;
  std::vector<std::uint32_t> slots_;  ///< open addressing: a row's number + 1, 0: empty
};

/// Bounds on the making of a space.
struct SpaceBounds {
  std::size_t rows = 100'000'000;        ///< of one table; 2 bytes a parameter and 8 each
  std::uint64_t steps = 20'000'000'000;  ///< values tried
};

/// Groups of parameters that constraints join, each ascending; the first of each ascending.
std::vector<std::vector<std::size_t>> independent_groups(std::span<const Parameter> parameters,
                                                         std::span<const Constraint> constraints);

/// All combinations of one group's values that satisfy the constraints on it. Depth first: values
/// are chosen parameter by parameter in an order that completes constraints early; a constraint is
/// checked as soon as its last parameter is chosen, and one of sums and products as soon as
/// its range over what is left shows that it cannot hold.
/// Errors: a constraint that cannot be evaluated, nothing left, a bound reached.
Expected<Component> enumerate(std::span<const std::size_t> group,
                              std::span<const Parameter> parameters,
                              std::span<const Constraint> constraints, const SpaceBounds& bounds);

}  // namespace kiln::tune
