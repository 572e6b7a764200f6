#include "tune/space/checker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kiln::tune {
namespace {

/// One byte each.
constexpr std::size_t kMostKnown = std::size_t{1} << 23;
/// Arguments that fit a fixed array: constraints over more are evaluated plainly.
constexpr std::size_t kMostNeeds = 32;

}  // namespace

Checker::Checker(const Constraint& constraint, std::span<const Parameter> parameters, Role role)
    : constraint_(constraint), parameters_(parameters), role_(role) {
  const std::vector<std::string> names = constraint.expression.free_names();
  bool whole = names.size() <= kMostNeeds;
  std::vector<std::string> ordered;
  std::size_t combinations = 1;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    if (std::find(names.begin(), names.end(), parameter.name) == names.end()) continue;
    needs_.push_back(p);
    ordered.push_back(parameter.name);
    strides_.push_back(combinations);
    if (__builtin_mul_overflow(combinations, parameter.values.size(), &combinations)) {
      combinations = kMostKnown + 1;
    }
    auto& integers = integers_.emplace_back();
    for (const expr::Value& value : parameter.values) {
      whole = whole && value.is_integer();
      if (whole) integers.push_back(*value.to_integer());
    }
    if (!whole) continue;
    const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
    domains_.push_back({*least, *most});
  }
  if (combinations <= kMostKnown) known_.assign(combinations, Verdict::unknown);
  if (whole) program_ = expr::IntegerProgram::compile(constraint.expression, ordered);
  ranges_.resize(needs_.size());
}

Checker::Verdict Checker::check(std::span<const std::uint16_t> positions) {
  if (known_.empty()) {
    const Verdict verdict = evaluate(positions);
    count(verdict);
    return verdict;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < needs_.size(); ++i) at += positions[needs_[i]] * strides_[i];
  Verdict& known = known_[at];
  if (known == Verdict::unknown) {
    known = evaluate(positions);
    count(known);
  }
  return known;
}

void Checker::count(Verdict verdict) {
  has_accepted_ |= verdict == Verdict::yes;
  has_refused_ |= verdict == Verdict::no;
}

Checker::Verdict Checker::evaluate(std::span<const std::uint16_t> positions) const {
  if (program_) {
    std::int64_t values[kMostNeeds];
    for (std::size_t i = 0; i < needs_.size(); ++i) values[i] = integers_[i][positions[needs_[i]]];
    if (const auto value = program_->evaluate({values, needs_.size()})) {
      return *value != 0 ? Verdict::yes : Verdict::no;
    }
  }
  const auto value = plain(positions);
  if (!value) return role_ == Role::decides ? Verdict::error : Verdict::yes;
  return value->truth() ? Verdict::yes : Verdict::no;
}

Expected<expr::Value> Checker::plain(std::span<const std::uint16_t> positions) const {
  expr::Scope scope;
  for (const std::size_t p : needs_) {
    scope.set(parameters_[p].name, parameters_[p].values[positions[p]]);
  }
  return constraint_.expression.evaluate(scope);
}

bool Checker::may_hold(std::span<const std::uint16_t> positions, const std::vector<bool>& chosen) {
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    const std::int64_t value = chosen[needs_[i]] ? integers_[i][positions[needs_[i]]] : 0;
    ranges_[i] = chosen[needs_[i]] ? expr::Range{value, value} : domains_[i];
  }
  const bool may = program_->bound(ranges_) != expr::Truth::no;
  has_refused_ |= !may;
  return may;
}

Error Checker::error(std::span<const std::uint16_t> positions) const {
  std::string values;
  for (const std::size_t p : needs_) {
    values += fmt::format("{}{}={}", values.empty() ? "" : " ", parameters_[p].name,
                          parameters_[p].values[positions[p]].text());
  }
  const auto value = plain(positions);
  const std::string with = values.empty() ? "" : " with " + one_line(values);
  return Error(Errc::bad_input, fmt::format("constraint '{}'{}: {}", one_line(constraint_.text),
                                            with, value ? "no error" : value.error().message()));
}

}  // namespace kiln::tune
