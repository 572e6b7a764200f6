#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/data/bounded_table.hpp"
#include "base/data/bytes.hpp"
#include "base/data/digest.hpp"
#include "kernel/resolver/resolver.hpp"
#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// What stands for the values of Maps and subsets in keys of plans: digests of the entries that
/// are indexed and no others, each computed once for (Map, version, components, rows) and then
/// remembered. Thread-safe; bounded: the oldest are forgotten, and computed again when asked for.
class MapDigests {
 public:
  /// strong: BLAKE2b-256, for what may enter a store. quick: XXH3-128, ten times as fast, for
  /// keys that do not leave the process.
  enum class Kind : std::uint8_t { strong, quick };

  explicit MapDigests(std::size_t most = 4096) : known_(most) {}

  /// Of the values of `components` (rising, each once) in the first `rows` rows, row after row.
  Digest of_columns(const MapView& map, const std::vector<std::uint32_t>& components,
                    std::size_t rows, Kind kind);
  /// Of an index list.
  Digest of_list(std::span<const std::int32_t> list, std::uint64_t identity, std::uint64_t version,
                 Kind kind);

  /// Forgets all of a Map or subset that is no more.
  void forget(std::uint64_t identity);

  /// How many were computed so far.
  std::size_t computed() const;

 private:
  struct Name {
    std::uint64_t identity, version;
    std::vector<std::uint32_t> components;
    std::size_t rows;
    Kind kind;
    bool list;
    bool operator==(const Name&) const = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const noexcept;
  };
  template <class Compute>
  Digest remembered(Name name, Compute&& compute);

  mutable std::mutex mutex_;
  BoundedTable<Name, Digest, NameHash, std::equal_to<>> known_;
  std::size_t computed_ = 0;
};

/// The canonical bytes of a plan: PyOP2's caching specification,
///     (iteration_space_size, partition_size, [(map digest, [idx])], [[(map digest, [idx])]]),
/// and what it lacks: the set's size and the part's begin, the subset's entries, the scheme, where
/// late elements begin, the bytes of an element (they decide nshared), the targets' number (it
/// decides loc_map's width), which pairs are staged, and which share a Map: Maps are numbered by
/// first occurrence, so that equal structure over equal values gives equal bytes, whatever the
/// objects are. Conflicts are in the form that decides the colours: as sets of columns, without
/// implied ones.
Bytes plan_canonical(const PlanInput& input, MapDigests& digests, MapDigests::Kind kind);

/// The identity of an input within the process: a hash of all that decides its plan, with Maps and
/// subsets by identity and version; no values are read, nothing is allocated.
std::uint64_t identity_hash(const PlanInput& input) noexcept;
/// Whether two inputs are of one identity.
bool same_identity(const PlanInput& a, const PlanInput& b) noexcept;
/// An input that has the identity, but refers to no memory of its maker's.
PlanInput identity_of(const PlanInput& input);

/// Gives plans for inputs, through one Resolver, which is the only cache of them (its memory and
/// its stores). What is remembered here are names: which Key an input has, by the identity of its
/// Maps, so that a plan that is held is found without reading a Map or allocating anything
/// (some 50 ns), and the digests of Maps.
///
/// A plan lives as long as it is held; it is taken from the store, or made, again after
/// that. Thread-safe; threads that ask for one plan share one making.
class PlanSource {
 public:
  explicit PlanSource(Resolver& resolver) : resolver_(resolver) {}

  /// The plan of an input. Two Maps (or subsets) of one identity and version must have the same
  /// values. `loop`: for people, of whom the plan is. Throws Error as build_plan does.
  PlanPtr resolve(const PlanInput& input, Explanation* explanation = nullptr,
                  std::string_view loop = "a loop");

  /// The plan, if it is held and was resolved by these identities before; else nullptr.
  PlanPtr find(const PlanInput& input);

  /// A Map or a subset is no more: names and digests that refer to it go.
  void forget(std::uint64_t identity);

  MapDigests& digests() { return digests_; }
  /// Names are bounded: the oldest go.
  static constexpr std::size_t most_names = 4096;
  std::size_t names() const;

 private:
  struct Known {
    std::shared_ptr<const Bytes> canonical;
    std::weak_ptr<const Plan> plan;
  };
  struct IdentityHash {
    std::size_t operator()(const PlanInput& input) const noexcept { return identity_hash(input); }
  };
  struct SameIdentity {
    bool operator()(const PlanInput& a, const PlanInput& b) const noexcept {
      return same_identity(a, b);
    }
  };
  std::shared_ptr<const Bytes> canonical_of(const PlanInput& input);
  void remember(const PlanInput& input, std::shared_ptr<const Bytes> canonical,
                const PlanPtr& plan);

  Resolver& resolver_;
  MapDigests digests_;
  mutable std::mutex mutex_;  // held for a look-up, never while a plan or a digest is made
  BoundedTable<PlanInput, Known, IdentityHash, SameIdentity> names_{most_names};
};

}  // namespace kiln::mesh
