#pragma once

#include <string_view>
#include <vector>

#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// Which policy makes a timetable; `automatic` is the best of all, improved.
enum class Policy : std::uint8_t { automatic, heft, peft, lookahead, cluster, eager, one_device };

/// "auto", "heft", "peft", "lookahead", "cluster", "eager", "one-device".
const char* name_of(Policy policy);
/// Error: bad_input, with all names.
Expected<Policy> parse_policy(std::string_view name);

inline constexpr std::uint32_t no_device = static_cast<std::uint32_t>(-1);
inline constexpr std::uint32_t no_cluster = static_cast<std::uint32_t>(-1);

/// The timetable of a policy. `device`: of one_device; no_device: the best one. `cluster_of`: for
/// the policy cluster, the number that tasks which belong together have, or no_cluster; where none
/// has one, clusters are made.
Timetable timetable_by(const Problem& problem, Policy policy, std::uint32_t device,
                       const std::vector<std::uint32_t>& cluster_of);

}  // namespace kiln::graph
