#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "tune/replay/measured_space.hpp"

/// Small spaces to test on.
namespace kiln::tune::testing {

inline std::vector<Parameter> parameters(const std::vector<std::string>& texts) {
  std::vector<Parameter> all;
  for (const auto& text : texts) all.push_back(parse_parameter(text).value());
  return all;
}

inline Expected<SearchSpace> try_space(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& conditions,
                                       const SpaceBounds& bounds = {}) {
  auto all = parameters(texts);
  std::vector<Constraint> constraints;
  for (const auto& text : conditions) {
    auto constraint = parse_constraint(text, all);
    if (!constraint) return tl::unexpected(constraint.error());
    constraints.push_back(*std::move(constraint));
  }
  return SearchSpace::build(std::move(all), std::move(constraints), bounds);
}

inline SearchSpace space(const std::vector<std::string>& texts,
                         const std::vector<std::string>& conditions = {}) {
  return try_space(texts, conditions).value();
}

/// The error's message, or "" where there is none.
template <class T>
std::string message_of(const Expected<T>& result) {
  return result ? "" : result.error().message();
}

/// A kernel with a valley: best at X=16, Y=4, V=2; large work-groups fail to launch. 5 * 5 * 3 * 2
/// configurations less those with X * Y > 256.
inline MeasuredSpace valley(double shift = 0) {
  SearchSpace made = space({"X=4,8,16,32,64", "Y=1,2,4,8,16", "V=1,2,4", "PAD=0,1"});
  MeasuredSpace measured{"a device", "valley", std::move(made), {}, 0};
  for (ConfigurationId id = 0; id < measured.space.size(); ++id) {
    const auto at = [&](std::size_t p) {
      return std::log2(std::max(*measured.space.value(id, p).to_double(), 0.5));
    };
    const double x = at(0) - 4 - shift, y = at(1) - 2, v = at(2) - 1, pad = at(3);
    const double time = 1 + 0.3 * x * x + 0.2 * y * y + 0.1 * v * v + 0.02 * pad + 0.05 * x * y;
    const bool too_large = at(0) + at(1) > 8;
    measured.outcomes.push_back(too_large ? Outcome::of(Failure::launch) : Outcome::of_time(time));
    if (too_large) continue;
    if (measured.fastest == 0 || time < measured.fastest) measured.fastest = time;
  }
  return measured;
}

}  // namespace kiln::tune::testing
