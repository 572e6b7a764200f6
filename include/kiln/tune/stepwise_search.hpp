#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/expr.hpp"

/// The strategies of `kiln tune` for callers that measure configurations themselves.
namespace kiln::tune {

/// How the next configuration to measure is chosen; docs/tuning.md compares them.
enum class Method : std::uint8_t {
  forest,  ///< by a model of what was measured
  multi_start,
  iterated_local,
  annealing,
  genetic,
  random,
  exhaustive,  ///< all of them, in their order
};

/// The names of `kiln tune --strategy`, by number.
inline constexpr const char* method_names[] = {
    "forest", "multi-start", "iterated-local", "annealing", "genetic", "random", "exhaustive"};
/// "forest", "multi-start", "iterated-local", "annealing", "genetic", "random", "exhaustive".
constexpr const char* name_of(Method method) noexcept {
  const auto at = static_cast<std::size_t>(method);
  return at < std::size(method_names) ? method_names[at] : method_names[0];
}

/// A search by ask and tell: it says which configuration is next, and is told what that came to,
/// by whatever measure is to become small. Never asks for a configuration twice. The same space,
/// seed and calls give the same search in every process of one build.
///
/// One thread at a time; several may be used by several threads. Movable.
class KILN_API StepwiseSearch {
 public:
  /// A name and its values, in the order that makes neighbours alike: numbers, truth values or
  /// texts, none twice, at most 65,535.
  struct Parameter {
    std::string name;
    std::vector<expr::Value> values;
  };
  /// A configuration's number: 0 to size() - 1.
  using Id = std::uint64_t;
  /// A configuration as positions of its values, one a parameter, in their order.
  using Positions = std::vector<std::uint16_t>;

  struct Options {
    Method method = Method::forest;
    std::uint64_t seed = 0;
    /// What is known from elsewhere: another device's search, or one of another problem. Its
    /// parameters are matched by name and value; its fastest configurations are asked for first.
    /// Of the method `forest` alone. Only read while the search is made.
    const StepwiseSearch* start_from = nullptr;
  };

  /// All combinations that satisfy the constraints, which are expressions in Python 3 ("BX % LX ==
  /// 0"; kiln/expr.hpp). Throws Error (bad_input): no parameter, a name or value twice, a
  /// constraint that cannot be read or evaluated, no configuration left, too many; a start_from
  /// that has nothing in common with this space, or no time.
  StepwiseSearch(std::vector<Parameter> parameters, const std::vector<std::string>& constraints,
                 const Options& options);
  /// These configurations, numbered in this order: where code decides which are valid. Throws Error
  /// (bad_input) as above, for positions that are none, and for a configuration that stands twice.
  static StepwiseSearch of(std::vector<Parameter> parameters,
                           std::span<const Positions> configurations, const Options& options);
  StepwiseSearch(StepwiseSearch&&) noexcept;
  StepwiseSearch& operator=(StepwiseSearch&&) noexcept;
  ~StepwiseSearch();

  Id size() const;
  /// Throws Error (bad_input) for a number that is none.
  Positions positions(Id id) const;
  /// The configuration at these positions, where it is valid.
  std::optional<Id> find(const Positions& positions) const;
  /// Valid configurations in which one parameter has another value.
  std::vector<Id> neighbours(Id id) const;

  /// The next one to measure. Nothing where all were asked for, or told; or where a method has to
  /// be told first of what it asked for.
  std::optional<Id> ask();
  /// What measuring one came to: a positive, finite number, of which the least is sought, or
  /// nothing where it failed. Also of what was not asked for. The last of several counts. Throws
  /// Error (bad_input) for another number.
  void tell(Id id, std::optional<double> cost);

 private:
  struct State;
  explicit StepwiseSearch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kiln::tune
