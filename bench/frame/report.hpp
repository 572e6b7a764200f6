#pragma once

#include <string>

#include "frame/bar.hpp"

namespace kiln::bench {

/// Measures one bar. What the measurement throws is why there is no figure.
Outcome figure_of(const Bar& bar, const Context& context);

/// What a measurement says of its bar: "holds", "falls short" or "not measured (reason)".
std::string verdict(const Bar& bar, const Outcome& outcome);
bool falls_short(const Bar& bar, const Outcome& outcome);

/// The bar itself, e.g. "<= 3 ms more".
std::string limit_text(const Bar& bar);

/// One line for people: name, figure, bar, verdict, and how it came about.
std::string line(const Bar& bar, const Outcome& outcome);

/// One JSON object: {name, figure, unit, bar, verdict, detail, machine}; figure is null where
/// nothing was measured.
std::string json(const Bar& bar, const Outcome& outcome);

/// The processor and how many of its cores this process may use.
std::string machine();

}  // namespace kiln::bench
