#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "kernel/resolver.hpp"
#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/plan_key.hpp"

namespace kiln::mesh {

/// Gives plans for inputs, through one Resolver, which is the only cache of them (its memory and
/// its stores). What is remembered here are names: which Key an input has, by the identity of its
/// Maps, so that a plan that somebody holds is found without reading a Map or allocating anything
/// (some 50 ns), and the digests of Maps.
///
/// A plan lives as long as somebody holds it; it is taken from the store, or made, again after
/// that. Thread-safe; threads that ask for one plan share one making.
class PlanSource {
 public:
  explicit PlanSource(Resolver& resolver) : resolver_(resolver) {}

  /// The plan of an input. Two Maps (or subsets) of one identity and version must have the same
  /// values. `loop`: for people, of whom the plan is. Throws Error as build_plan does.
  PlanPtr resolve(const PlanInput& input, Explanation* explanation = nullptr,
                  std::string_view loop = "a loop");

  /// The plan, if somebody holds it and it was resolved by these identities before; else nullptr.
  PlanPtr find(const PlanInput& input) const;

  /// A Map or a subset is no more: names and digests that refer to it go.
  void forget(std::uint64_t identity);

  MapDigests& digests() { return digests_; }
  /// Names are bounded: the oldest go.
  static constexpr std::size_t most_names = 4096;
  std::size_t names() const;

 private:
  struct Name {
    PlanInput identity;
    std::shared_ptr<const Bytes> canonical;
    std::weak_ptr<const Plan> plan;
  };
  using Names = std::unordered_multimap<std::uint64_t, Name>;
  Names::iterator place_of(std::uint64_t hash, const PlanInput& input);
  std::shared_ptr<const Bytes> canonical_of(const PlanInput& input);
  void remember(const PlanInput& input, std::shared_ptr<const Bytes> canonical,
                const PlanPtr& plan);

  Resolver& resolver_;
  MapDigests digests_;
  mutable std::mutex mutex_;  // held for a look-up, never while a plan or a digest is made
  Names names_;
  std::deque<std::pair<std::uint64_t, std::shared_ptr<const Bytes>>> by_age_;
};

}  // namespace kiln::mesh
