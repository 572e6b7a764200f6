#include "mesh/plan/plan_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/work.hpp"

namespace kiln::mesh {
namespace {

/// "plan of res_calc: 7200 elements in blocks of 192"
std::string label_of(const PlanInput& input, std::string_view loop) {
  const std::string cut =
      input.scheme == Scheme::permuted
          ? "in order of colours"
          : fmt::format("in {}blocks of {}", input.scheme == Scheme::staged ? "staged " : "",
                        input.block_size);
  return fmt::format("plan of {}: {} element{} {}", loop, input.size, input.size == 1 ? "" : "s",
                     cut);
}

}  // namespace

PlanSource::Names::iterator PlanSource::place_of(std::uint64_t hash, const PlanInput& input) {
  auto [entry, end] = names_.equal_range(hash);
  while (entry != end && !same_identity(entry->second.identity, input)) ++entry;
  return entry == end ? names_.end() : entry;
}

PlanPtr PlanSource::find(const PlanInput& input) const {
  const std::uint64_t hash = identity_hash(input);
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = names_.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry)
    if (same_identity(entry->second.identity, input)) return entry->second.plan.lock();
  return nullptr;
}

std::shared_ptr<const Bytes> PlanSource::canonical_of(const PlanInput& input) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = place_of(identity_hash(input), input);
    if (known != names_.end()) return known->second.canonical;
  }
  // Keys that nobody keeps need no digest that is safe among strangers.
  const auto kind =
      resolver_.store() != nullptr ? MapDigests::Kind::strong : MapDigests::Kind::quick;
  return std::make_shared<const Bytes>(plan_canonical(input, digests_, kind));
}

void PlanSource::remember(const PlanInput& input, std::shared_ptr<const Bytes> canonical,
                          const PlanPtr& plan) {
  const std::uint64_t hash = identity_hash(input);
  const std::lock_guard lock(mutex_);
  const auto known = place_of(hash, input);
  if (known != names_.end()) {
    known->second.plan = plan;
    return;
  }
  names_.emplace(hash, Name{identity_of(input), canonical, plan});
  by_age_.emplace_back(hash, std::move(canonical));
  if (by_age_.size() <= most_names) return;
  const auto [begin, end] = names_.equal_range(by_age_.front().first);
  for (auto entry = begin; entry != end; ++entry)
    if (entry->second.canonical == by_age_.front().second) {
      names_.erase(entry);
      break;
    }
  by_age_.pop_front();
}

PlanPtr PlanSource::resolve(const PlanInput& input, Explanation* explanation,
                            std::string_view loop) {
  if (auto plan = find(input)) {
    if (explanation != nullptr) {
      explanation->what = label_of(input, loop);
      StepTimer step(explanation, "memory");
      step.answered("by identity");
    }
    return plan;
  }
  check_input(input);  // digests are of what is there
  auto canonical = canonical_of(input);
  const Resolver::PlanRequest request{*canonical, plan_schema, label_of(input, loop)};
  PlanPtr plan = resolver_.resolve_plan(
      request, [&] { return build_plan(input); }, explanation);
  remember(input, std::move(canonical), plan);
  return plan;
}

void PlanSource::forget(std::uint64_t identity) {
  digests_.forget(identity);
  const std::lock_guard lock(mutex_);
  for (auto entry = names_.begin(); entry != names_.end();) {
    const PlanInput& input = entry->second.identity;
    const bool refers = (input.subset && input.subset_identity == identity) ||
                        std::ranges::any_of(input.maps, [&](const MapView& map) {
                          return map.identity == identity;
                        });
    if (refers)
      std::erase_if(by_age_,
                    [&](const auto& name) { return name.second == entry->second.canonical; });
    entry = refers ? names_.erase(entry) : std::next(entry);
  }
}

std::size_t PlanSource::names() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

}  // namespace kiln::mesh
