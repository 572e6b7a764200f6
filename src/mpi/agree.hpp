#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "mpi/watch.hpp"

namespace kiln::mpi {

/// Calls `work` on all ranks, and throws on all of them what it throws on the lowest rank that has
/// an error. `work` has no collective calls that a rank which fails would leave out. Collective.
void agree(Watch& watch, std::string_view what, const std::function<void()>& work);

/// All ranks' numbers, by rank.
std::vector<std::int64_t> gather(Watch& watch, std::string_view what, std::int64_t mine);

}  // namespace kiln::mpi
