#pragma once

#include <string>

#include "frame/bar.hpp"
#include "tune/replay/replay.hpp"
#include "tune/strategy/transfer.hpp"

/// Spaces that other people measured whole, and searches on them.
namespace kiln::bench::hub {

/// The spaces, and for each another device's of the same kernel.
struct Pair {
  const char* name;
  const char* other;
};
std::span<const Pair> spaces();
/// "tune/p90-convolution-a4000": of "p90" and a space.
std::string bar_name(std::string_view what, const Pair& pair);

/// A space by its name, read once; not_measured where the data is absent. KILN_HUB names another
/// folder than ../shared/data/hub beside the source.
tl::expected<const tune::MeasuredSpace*, std::string> space(const Context& context,
                                                            const std::string& name);

/// How searches begin.
enum class Start {
  cold,   ///< with nothing
  whole,  ///< with all times of the other device
  run,    ///< with 250 evaluations of the default strategy on the other device
};

/// Figures of a strategy over 100 seeds; computed once.
tl::expected<tune::ReplayFigures, std::string> figures(const Context& context, const Pair& pair,
                                                       std::string_view strategy, Start start);

}  // namespace kiln::bench::hub
