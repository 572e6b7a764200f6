#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace kiln::bench {

namespace fs = std::filesystem;

/// Where a measurement finds both of its sides.
struct Context {
  fs::path binaries;  ///< the build's bin folder: kiln, and the rivals (rival-NAME)
  fs::path source;    ///< the project's root: specs and scripts to measure with
};

/// A measured figure, in the unit of its bar.
struct Figure {
  double value = 0;
  std::string detail;  ///< one line: both sides' medians, runs, spread
};

/// A figure, or in one line why there is none on this machine.
using Outcome = tl::expected<Figure, std::string>;

inline tl::unexpected<std::string> not_measured(std::string reason) {
  return tl::unexpected<std::string>(std::move(reason));
}

enum class Holds { at_most, at_least };

/// One promise that Kiln can be held to.
struct Bar {
  std::string name;  ///< GROUP/NAME
  std::string text;  ///< what is measured against what
  Holds holds = Holds::at_most;
  double limit = 0;
  std::string unit;  ///< "x" for a ratio, "ms more", "us", …
  /// What it throws is why there is no figure.
  std::function<Outcome(const Context&)> measure;
};

/// All bars, group after group in the order of the registry (registry.cpp).
std::vector<Bar> all_bars();

}  // namespace kiln::bench
