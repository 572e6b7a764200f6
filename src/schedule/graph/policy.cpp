#include "schedule/graph/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "schedule/graph/improve.hpp"
#include "schedule/graph/policies.hpp"

namespace kiln::graph {
namespace {

constexpr std::array<std::pair<Policy, const char*>, 7> policy_names{
    {{Policy::automatic, "auto"},
     {Policy::heft, "heft"},
     {Policy::peft, "peft"},
     {Policy::lookahead, "lookahead"},
     {Policy::cluster, "cluster"},
     {Policy::eager, "eager"},
     {Policy::one_device, "one-device"}}};

/// Numbers without gaps; a task without one is a cluster of its own.
std::vector<std::uint32_t> dense(const std::vector<std::uint32_t>& cluster_of) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> made;
  std::uint32_t next = 0;
  for (const std::uint32_t cluster : cluster_of) {
    if (cluster == no_cluster) {
      made.push_back(next++);
      continue;
    }
    const auto [found, is_new] = numbers.try_emplace(cluster, next);
    if (is_new) ++next;
    made.push_back(found->second);
  }
  return made;
}

}  // namespace

const char* name_of(Policy policy) {
  for (const auto& [value, name] : policy_names)
    if (value == policy) return name;
  return "";
}

Expected<Policy> parse_policy(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [value, name] : policy_names) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  return fail(Errc::bad_input,
              fmt::format("found policy '{}', expected {}", text, fmt::join(names, ", ")));
}

Timetable timetable_by(const Problem& problem, Policy policy, std::uint32_t device,
                       const std::vector<std::uint32_t>& cluster_of) {
  switch (policy) {
    case Policy::heft:
      return heft(problem);
    case Policy::peft:
      return peft(problem);
    case Policy::lookahead:
      return lookahead(problem);
    case Policy::eager:
      return eager(problem);
    case Policy::cluster: {
      const bool has_own =
          std::ranges::any_of(cluster_of, [](auto cluster) { return cluster != no_cluster; });
      return clusters(problem, has_own ? dense(cluster_of) : linear_clusters(problem));
    }
    case Policy::one_device: {
      if (device != no_device) return one_device(problem, device);
      Timetable best;
      best.makespan_ns = never;
      for (std::size_t each = 0; each < problem.devices.size(); ++each)
        if (Timetable table = one_device(problem, each); table.makespan_ns < best.makespan_ns)
          best = std::move(table);
      return best;
    }
    case Policy::automatic:
      break;
  }
  return best_timetable(problem, SearchEffort::usual(problem.graph.size()));
}

}  // namespace kiln::graph
