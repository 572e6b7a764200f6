#pragma once

#include <optional>
#include <string>

#include "tune/random.hpp"
#include "tune/space/enumerate.hpp"

namespace kiln::tune {

/// A valid configuration's number: 0 to size - 1, stable for the same parameters and constraints
/// in the same order.
using ConfigurationId = std::uint64_t;

/// Positions of the chosen values, one a parameter of the space, in its order.
using Positions = std::vector<std::uint16_t>;

/// Which configurations count as alike.
enum class Neighbourhood : std::uint8_t {
  any_value,   ///< one parameter has another value (Hamming distance 1)
  next_value,  ///< one parameter has the nearest valid value before or behind in its list
};

/// All valid configurations of some parameters. Stored as tables whose product the space is, so
/// that a configuration is a number and finding one by its values costs O(parameters).
/// Immutable; thread-safe; movable.
class SearchSpace {
 public:
  /// From parameters and constraints over them. Errors: no parameter, a name twice or that is none,
  /// no values, and those of enumerate().
  static Expected<SearchSpace> build(std::vector<Parameter> parameters,
                                     std::vector<Constraint> constraints,
                                     const SpaceBounds& bounds = {});
  /// From a list of the valid configurations; they get their numbers in this order. Errors: as
  /// above, a row of the wrong length or with a position that is none, one that stands twice.
  static Expected<SearchSpace> of_rows(std::vector<Parameter> parameters,
                                       std::span<const Positions> rows);

  std::span<const Parameter> parameters() const { return parameters_; }
  std::span<const Constraint> constraints() const { return constraints_; }
  /// Valid configurations; at least 1.
  ConfigurationId size() const { return size_; }
  /// Combinations of values, valid or not.
  double raw_size() const;

  std::uint16_t position(ConfigurationId id, std::size_t parameter) const;
  const expr::Value& value(ConfigurationId id, std::size_t parameter) const;
  Positions positions(ConfigurationId id) const;
  /// The configuration at these positions, where it is valid.
  std::optional<ConfigurationId> find(std::span<const std::uint16_t> positions) const;
  /// "TS=8 WPT=2", in the parameters' order.
  std::string text(ConfigurationId id) const;
  /// The values by their names, for expressions.
  expr::Scope scope(ConfigurationId id) const;

  /// Valid configurations next to this one, never itself, each once; parameter by parameter.
  std::vector<ConfigurationId> neighbours(ConfigurationId id, Neighbourhood kind) const;
  /// Each as likely as the other.
  ConfigurationId sample(Random& random) const { return random.below(size_); }

 private:
  /// Where a parameter's column is.
  struct Place {
    std::size_t component, column;
  };

  static Expected<SearchSpace> with(std::vector<Parameter> parameters);
  Expected<void> add(Component component);
  std::size_t row(ConfigurationId id, std::size_t component) const {
    return static_cast<std::size_t>(id / strides_[component] % components_[component].rows());
  }

  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
  std::vector<Component> components_;
  std::vector<ConfigurationId> strides_;
  std::vector<Place> places_;
  ConfigurationId size_ = 1;
};

}  // namespace kiln::tune
