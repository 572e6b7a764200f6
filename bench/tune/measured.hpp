#pragma once

#include <string>

#include "frame/bar.hpp"
#include "tune/replay/replay.hpp"
#include "tune/strategy/forest_search.hpp"

/// Spaces that were measured whole, and searches on them.
namespace kiln::bench::measured {

/// A space, and another device's of the same kernel where there is one.
struct Pair {
  const char* name;
  const char* other;
  bool own = false;  ///< measured by Kiln (bench/tune/spaces), not by other people
};
/// Other people's.
std::span<const Pair> hub_spaces();
/// Kiln's.
std::span<const Pair> own_spaces();
/// "tune/p90-convolution-a4000": of "p90" and a space.
std::string bar_name(std::string_view what, const Pair& pair);
/// A space, read once; not_measured where the data is absent.
tl::expected<const tune::MeasuredSpace*, std::string> space(const Context& context,
                                                            const Pair& pair);

/// How searches begin.
enum class Start {
  cold,   ///< with nothing
  whole,  ///< with all times of the other device
  run,    ///< with 250 evaluations of the default strategy on the other device
};

/// Figures of a strategy over 100 seeds; computed once.
tl::expected<tune::ReplayFigures, std::string> figures(const Context& context, const Pair& pair,
                                                       std::string_view strategy, Start start);

}  // namespace kiln::bench::measured
