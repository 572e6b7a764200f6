#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "frame/bar.hpp"

namespace kiln::bench {

using kiln::median;
using kiln::quantile;

/// What was measured in pairs: first[i] and second[i] ran one after the other, so that what a
/// machine does meanwhile (other load, clock changes) falls on both.
struct Pairs {
  std::vector<double> first, second;
};

/// One timed run of one side, in any unit; a message where it cannot run.
using Sample = std::function<tl::expected<double, std::string>()>;

/// Runs both sides alternately, changing which goes first from pair to pair, after `warm_up` pairs
/// that do not count.
tl::expected<Pairs, std::string> interleave(const Sample& first, const Sample& second, int pairs,
                                            int warm_up = 2);

/// The median over the pairs of first/second; the detail gives medians and quartiles.
Figure ratio(const Pairs& pairs, const std::string& unit);

/// The median over the pairs of first - second, in their unit.
Figure difference(const Pairs& pairs, const std::string& unit);

}  // namespace kiln::bench
