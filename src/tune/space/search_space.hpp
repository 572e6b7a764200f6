#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tune/space/enumerate.hpp"

namespace kiln {
class Parameters;
struct TuningRecord;
}  // namespace kiln

/// A space of valid configurations, each a number; what is asked of one: its values, its
/// neighbours, its Parameters; and the random numbers by which searches choose.
namespace kiln::tune {

/// A small generator whose numbers are the same on every machine and with every library, which
/// those of the standard's distributions are not: a seed must give the same search everywhere.
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) { next(); }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// A number of 0..count-1, each as likely as the other to within 2^-64 * count; count > 0.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{next()} * count) >> 64);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Brings all into a new order.
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::uint64_t state_;
};

/// A valid configuration's number: 0 to size - 1, stable for the same parameters and constraints
/// in the same order.
using ConfigurationId = std::uint64_t;

/// Positions of the chosen values, one a parameter of the space, in its order.
using Positions = std::vector<std::uint16_t>;

/// All valid configurations of some parameters. Stored as tables whose product the space is, so
/// that a configuration is a number and finding one by its values costs O(parameters).
/// Immutable; thread-safe; movable.
class SearchSpace {
 public:
  SearchSpace() = default;  ///< to be assigned to
  /// From parameters and constraints over them. Errors: no parameter, a name twice or that is none,
  /// no values, and those of enumerate().
  static Expected<SearchSpace> build(std::vector<Parameter> parameters,
                                     const std::vector<Constraint>& constraints,
                                     const SpaceBounds& bounds = {});
  /// From a list of the valid configurations; they get their numbers in this order. Errors: as
  /// above, a row of the wrong length or with a position that is none, one that stands twice.
  static Expected<SearchSpace> of_rows(std::vector<Parameter> parameters,
                                       std::span<const Positions> rows);

  std::span<const Parameter> parameters() const { return parameters_; }
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

  /// Valid configurations in which one parameter has another value (Hamming distance 1), each once;
  /// parameter by parameter.
  std::vector<ConfigurationId> neighbours(ConfigurationId id) const;
  /// Each as likely as the other.
  ConfigurationId sample(Random& random) const { return random.below(size_); }

 private:
  /// Where a parameter's column is.
  struct Place {
    std::size_t component, column;
  };

  /// Throws Error, as add() does.
  explicit SearchSpace(std::vector<Parameter> parameters);
  void add(Component component);
  std::size_t row(ConfigurationId id, std::size_t component) const {
    return static_cast<std::size_t>(id / strides_[component] % components_[component].rows());
  }

  std::vector<Parameter> parameters_;
  std::vector<Component> components_;
  std::vector<ConfigurationId> strides_;  ///< of each component, in a configuration's number
  std::vector<Place> places_;             ///< of each parameter
  ConfigurationId size_ = 1;
};

/// The configuration that has these values; nothing where the space has none, or a parameter of
/// the space has no value. Values that the space does not know are left out.
std::optional<ConfigurationId> configuration_of(const SearchSpace& space,
                                                const kiln::Parameters& values);

/// The other way: the values of a space whose values are integers.
kiln::Parameters parameters_of(const SearchSpace& space, ConfigurationId id);

/// All combinations of integers that a predicate accepts, for SearchSpace::of_rows(): constraints
/// of Generators are code. Throws Error where there are too many combinations to look at.
std::vector<Positions> accepted_rows(const std::vector<Parameter>& parameters,
                                     const std::function<bool(const kiln::Parameters&)>& accepts);

/// The configuration of the best of Kiln's own measurements of just this size.
std::optional<ConfigurationId> best_on_record(const SearchSpace& space, const TuningRecord& record,
                                              std::int64_t size);

}  // namespace kiln::tune
