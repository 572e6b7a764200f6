#include "mesh/object/map_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kiln::mesh {
namespace {

/// Kernels number components by int; with as many elements no product wraps round.
constexpr std::size_t most_arity = std::numeric_limits<std::int32_t>::max();

}  // namespace

void check_map_values(const std::string& name, const Set& from, const Set& to, std::size_t arity,
                      std::span<const std::int32_t> values) {
  if (arity == 0)
    throw Error(Errc::bad_input, fmt::format("map {}: arity 0, expected 1 or more", name));
  if (arity > most_arity)
    throw Error(Errc::bad_input,
                fmt::format("map {}: arity {}, expected at most {}", name, arity, most_arity));
  const std::size_t expected = from.total_size() * arity;
  if (values.size() != expected)
    throw Error(Errc::bad_input,
                fmt::format("map {}: {} values, expected {} ({} elements of {} with {} each)", name,
                            values.size(), expected, from.total_size(), from.name(), arity));
  // As unsigned numbers negative ones are too large, too; the loop over all has no branch.
  const auto most = static_cast<std::uint32_t>(to.total_size());
  std::uint32_t greatest = 0;
  for (const auto value : values) greatest = std::max(greatest, static_cast<std::uint32_t>(value));
  if (values.empty() || greatest < most) return;
  const auto wrong = std::find_if(values.begin(), values.end(), [&](std::int32_t value) {
    return static_cast<std::uint32_t>(value) >= most;
  });
  const auto at = static_cast<std::size_t>(wrong - values.begin());
  throw Error(Errc::bad_input,
              fmt::format("map {}: element {}, component {} is {}, expected 0 to {} (set {})", name,
                          at / arity, at % arity, *wrong,
                          static_cast<std::int64_t>(to.total_size()) - 1, to.name()));
}

}  // namespace kiln::mesh
