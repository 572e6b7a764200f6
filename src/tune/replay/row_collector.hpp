#pragma once

#include <unordered_map>

#include "tune/replay/measured_space.hpp"

namespace kiln::tune {

/// Gathers the configurations of a file, one after the other, as positions of values. Errors have
/// no place in them: the reader knows it.
class RowCollector {
 public:
  /// Parameters with all their values.
  void declare(std::vector<Parameter> parameters);
  /// Names alone: the values are those that come, in the end sorted where all are numbers.
  void declare_names(const std::vector<std::string>& names);
  bool is_declared() const { return !parameters_.empty(); }
  std::span<const Parameter> parameters() const { return parameters_; }

  /// A value for each parameter, in their order.
  Expected<void> add(std::span<const expr::Value> values, const Outcome& outcome);
  std::size_t rows() const { return rows_.size(); }
  Expected<MeasuredSpace> finish();

 private:
  Expected<std::uint16_t> position(std::size_t parameter, const expr::Value& value);
  void sort_values();

  bool grows_ = false;
  std::vector<Parameter> parameters_;
  std::vector<Positions> rows_;
  std::vector<Outcome> outcomes_;
};

}  // namespace kiln::tune
