#include "tune/space/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/data/text.hpp"
#include "base/expected.hpp"

namespace kiln::tune {
namespace {

/// Verdicts that a Checker remembers, one byte each.
constexpr std::size_t kMostKnown = std::size_t{1} << 23;
/// Arguments that fit an array on the stack: constraints over more are not compiled.
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
    if (__builtin_mul_overflow(combinations, parameter.values.size(), &combinations))
      combinations = kMostKnown + 1;
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
    if (const auto value = program_->evaluate({values, needs_.size()}))
      return *value != 0 ? Verdict::yes : Verdict::no;
  }
  const auto value = plain(positions);
  if (!value) return role_ == Role::decides ? Verdict::error : Verdict::yes;
  return value->truth() ? Verdict::yes : Verdict::no;
}

Expected<expr::Value> Checker::plain(std::span<const std::uint16_t> positions) const {
  expr::Scope scope;
  for (const std::size_t p : needs_)
    scope.set(parameters_[p].name, parameters_[p].values[positions[p]]);
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
  for (const std::size_t p : needs_)
    values += fmt::format("{}{}={}", values.empty() ? "" : " ", parameters_[p].name,
                          parameters_[p].values[positions[p]].text());
  const auto value = plain(positions);
  const std::string with = values.empty() ? "" : " with " + one_line(values);
  return Error(Errc::bad_input, fmt::format("constraint '{}'{}: {}", one_line(constraint_.text),
                                            with, value ? "no error" : value.error().message()));
}

Component::Component(std::vector<std::size_t> parameters)
    : parameters_(std::move(parameters)), columns_(parameters_.size()) {}

void Component::add(std::span<const std::uint16_t> positions) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    columns_[i].push_back(positions[parameters_[i]]);
}

bool Component::index() {
  for (auto& column : columns_) column.shrink_to_fit();
  // At most half full, so that probes stay short.
  slots_.assign(std::bit_ceil(2 * rows() + 2), 0);
  const std::size_t highest =
      parameters_.empty() ? 0 : *std::max_element(parameters_.begin(), parameters_.end());
  std::vector<std::uint16_t> positions(highest + 1);
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      positions[parameters_[i]] = columns_[i][row];
    std::uint32_t& slot = slots_[slot_of(positions)];
    if (slot != 0) return false;
    slot = static_cast<std::uint32_t>(row + 1);
  }
  return true;
}

std::optional<std::size_t> Component::find(std::span<const std::uint16_t> positions) const {
  const std::uint32_t slot = slots_[slot_of(positions)];
  if (slot == 0) return std::nullopt;
  return slot - 1;
}

std::size_t Component::slot_of(std::span<const std::uint16_t> positions) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(positions) & mask;
  while (slots_[at] != 0 && !equals(slots_[at] - 1, positions)) at = (at + 1) & mask;
  return at;
}

std::uint64_t Component::hash(std::span<const std::uint16_t> positions) const {
  std::uint64_t sum = 0;
  for (const std::size_t parameter : parameters_) {
    sum = (sum ^ positions[parameter]) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

bool Component::equals(std::size_t row, std::span<const std::uint16_t> positions) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (columns_[i][row] != positions[parameters_[i]]) return false;
  return true;
}

namespace {

/// The depth-first search over one group of parameters.
class Enumerator {
 public:
  Enumerator(std::span<const std::size_t> group, std::span<const Parameter> parameters,
             std::span<const Constraint> constraints, const SpaceBounds& bounds)
      : group_(group.begin(), group.end()),
        parameters_(parameters),
        bounds_(bounds),
        component_(group_),
        positions_(parameters.size()),
        chosen_(parameters.size()) {
    for (const Constraint& constraint : constraints) {
      const auto parts = conjuncts(constraint);
      if (parts.size() > 1)
        for (const Constraint& part : parts) take(part, Checker::Role::prunes);
      take(constraint, Checker::Role::decides);
    }
    choose_order();
    assign_checks();
  }

  /// Throws Error.
  Component run() {
    descend(0);
    if (component_.rows() == 0) throw nothing_left();
    component_.index();
    return std::move(component_);
  }

 private:
  void take(const Constraint& constraint, Checker::Role role) {
    Checker checker(constraint, parameters_, role);
    const auto needs = checker.parameters();
    const bool mine = std::all_of(needs.begin(), needs.end(), [&](std::size_t p) {
      return std::binary_search(group_.begin(), group_.end(), p);
    });
    // A constraint without parameters is any group's, and the first's will do.
    if (mine && (!needs.empty() || group_.front() == 0)) checkers_.push_back(std::move(checker));
  }

  /// What is left to choose for a constraint: raw combinations of its open parameters.
  double open_combinations(const Checker& checker, const std::vector<bool>& ordered) const {
    double product = 1;
    for (const std::size_t p : checker.parameters())
      if (!ordered[p]) product *= static_cast<double>(parameters_[p].values.size());
    return product;
  }

  /// Again and again the constraint that is cheapest to complete; its parameters with few values
  /// come first.
  void choose_order() {
    std::vector<bool> ordered(parameters_.size());
    while (order_.size() < group_.size()) {
      const Checker* best = nullptr;
      double least = std::numeric_limits<double>::infinity();
      for (const Checker& checker : checkers_) {
        const double open = open_combinations(checker, ordered);
        if (open > 1 && open < least) {
          best = &checker;
          least = open;
        }
      }
      std::vector<std::size_t> next;
      for (const std::size_t p : best ? best->parameters() : std::span<const std::size_t>(group_))
        if (!ordered[p]) next.push_back(p);
      std::stable_sort(next.begin(), next.end(), [&](std::size_t a, std::size_t b) {
        return parameters_[a].values.size() < parameters_[b].values.size();
      });
      for (const std::size_t p : next) {
        ordered[p] = true;
        order_.push_back(p);
      }
      // Those of one value, which complete a constraint at no cost, come with the rest.
    }
  }

  void assign_checks() {
    complete_.resize(order_.size());
    early_.resize(order_.size());
    std::vector<std::size_t> depth_of(parameters_.size());
    for (std::size_t depth = 0; depth < order_.size(); ++depth) depth_of[order_[depth]] = depth;
    for (Checker& checker : checkers_) {
      std::size_t last = 0;
      for (const std::size_t p : checker.parameters()) last = std::max(last, depth_of[p]);
      complete_[last].push_back(&checker);
      if (!checker.bounds_well()) continue;
      for (const std::size_t p : checker.parameters())
        if (depth_of[p] < last) early_[depth_of[p]].push_back(&checker);
    }
  }

  void descend(std::size_t depth) {
    if (depth == order_.size()) {
      component_.add(positions_);
      if (component_.rows() > bounds_.rows)
        refuse(fmt::format("the space has more than {} valid configurations", bounds_.rows));
      return;
    }
    const std::size_t parameter = order_[depth];
    const std::size_t values = parameters_[parameter].values.size();
    if ((steps_ += values) > bounds_.steps)
      refuse(
          fmt::format("the space is not built after {} steps: its constraints exclude "
                      "too little before all parameters are chosen",
                      bounds_.steps));
    chosen_[parameter] = true;
    for (std::size_t value = 0; value < values; ++value) {
      positions_[parameter] = static_cast<std::uint16_t>(value);
      if (may_be_chosen(depth)) descend(depth + 1);
    }
    chosen_[parameter] = false;
  }

  /// Whether no constraint speaks against what is chosen up to this depth.
  bool may_be_chosen(std::size_t depth) {
    for (Checker* const checker : complete_[depth]) {
      const Checker::Verdict verdict = checker->check(positions_);
      if (verdict == Checker::Verdict::error) throw checker->error(positions_);
      if (verdict != Checker::Verdict::yes) return false;
    }
    for (Checker* const checker : early_[depth])
      if (!checker->may_hold(positions_, chosen_)) return false;
    return true;
  }

  Error nothing_left() const {
    for (const Checker& checker : checkers_) {
      if (!checker.refuses_all()) continue;
      return {Errc::bad_input, fmt::format("the space is empty: no configuration that the other "
                                           "constraints allow satisfies '{}'",
                                           one_line(checker.text()))};
    }
    return {Errc::bad_input, "the space is empty: no configuration satisfies all constraints"};
  }

  [[noreturn]] static void refuse(const std::string& why) { throw Error(Errc::bad_input, why); }

  std::vector<std::size_t> group_;
  std::span<const Parameter> parameters_;
  SpaceBounds bounds_;
  Component component_;
  std::vector<Checker> checkers_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<Checker*>> complete_, early_;  ///< by depth
  std::vector<std::uint16_t> positions_;
  std::vector<bool> chosen_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> independent_groups(std::span<const Parameter> parameters,
                                                         std::span<const Constraint> constraints) {
  std::vector<std::size_t> leader(parameters.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  for (const Constraint& constraint : constraints) {
    std::size_t first = parameters.size();
    for (const std::string& name : constraint.expression.free_names()) {
      std::size_t at = 0;
      while (at < parameters.size() && parameters[at].name != name) ++at;
      if (at == parameters.size()) continue;
      if (first == parameters.size()) first = leader[at];
      const std::size_t joined = leader[at], kept = std::min(first, joined);
      const std::size_t gone = std::max(first, joined);
      std::replace(leader.begin(), leader.end(), gone, kept);
      first = kept;
    }
  }
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::vector<std::size_t> group;
    for (std::size_t q = p; q < parameters.size(); ++q)
      if (leader[q] == p) group.push_back(q);
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

Expected<Component> enumerate(std::span<const std::size_t> group,
                              std::span<const Parameter> parameters,
                              std::span<const Constraint> constraints, const SpaceBounds& bounds) {
  return expected_from([&] { return Enumerator(group, parameters, constraints, bounds).run(); });
}

}  // namespace kiln::tune
