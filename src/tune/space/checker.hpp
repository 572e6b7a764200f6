#pragma once

#include <optional>

#include "expr/integer_program.hpp"
#include "tune/space/constraint.hpp"

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
  std::optional<expr::IntegerProgram> program_;  ///< none: strings, reals, rare functions
  std::vector<expr::Range> ranges_;              ///< for may_hold
  bool has_accepted_ = false, has_refused_ = false;
};

}  // namespace kiln::tune
