// How plans are found: digests of Maps, canonical bytes and identities of inputs, the names by
// which a plan that is held is found without reading a Map.
#include "mesh/plan/plan_source.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <set>

#include "kernel/resolver/resolver.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/plan/parallel.hpp"
#include "store/key/canonical.hpp"

namespace kiln::mesh {
namespace {

Digest digest_of(ByteView bytes, MapDigests::Kind kind) {
  if (kind == MapDigests::Kind::strong) return blake2b(bytes);
  const Checksum sum = xxh3(bytes);
  Digest digest;
  std::memcpy(digest.bytes.data(), &sum.low, 8);
  std::memcpy(digest.bytes.data() + 8, &sum.high, 8);
  return digest;
}

}  // namespace

std::size_t MapDigests::NameHash::operator()(const Name& name) const noexcept {
  return static_cast<std::size_t>((name.identity * 0x9e3779b97f4a7c15u) ^
                                  (name.version * 0xc2b2ae3d27d4eb4fu) ^ name.rows);
}

template <class Compute>
Digest MapDigests::remembered(Name name, Compute&& compute) {
  {
    const std::lock_guard lock(mutex_);
    if (const Digest* found = known_.find(name)) return *found;
  }
  // Outside the lock: others need not wait, and two that compute the same get the same.
  const Digest digest = compute();
  const std::lock_guard lock(mutex_);
  ++computed_;
  if (known_.find(name) == nullptr) known_.add(std::move(name), digest);
  return digest;
}

Digest MapDigests::of_columns(const MapView& map, const std::vector<std::uint32_t>& components,
                              std::size_t rows, Kind kind) {
  return remembered({map.identity, map.version, components, rows, kind, false}, [&] {
    if (components.size() == map.arity)
      return digest_of(std::as_bytes(map.values.first(rows * map.arity)), kind);
    std::vector<std::int32_t> indexed;
    indexed.reserve(rows * components.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (const auto component : components)
        indexed.push_back(map.values[row * map.arity + component]);
    return digest_of(std::as_bytes(std::span<const std::int32_t>(indexed)), kind);
  });
}

Digest MapDigests::of_list(std::span<const std::int32_t> list, std::uint64_t identity,
                           std::uint64_t version, Kind kind) {
  return remembered({identity, version, {}, list.size(), kind, true},
                    [&] { return digest_of(std::as_bytes(list), kind); });
}

void MapDigests::forget(std::uint64_t identity) {
  const std::lock_guard lock(mutex_);
  known_.erase_if([&](const Name& name) { return name.identity == identity; });
}

std::size_t MapDigests::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

namespace {

class Writer {
 public:
  Writer(const PlanInput& input, MapDigests& digests, MapDigests::Kind kind)
      : input_(input), digests_(digests), kind_(kind) {}

  Bytes run() {
    compute_digests();
    out_.integer("digests", static_cast<std::int64_t>(kind_))
        .integer("iteration size", number(input_.size))
        .integer("partition size", input_.block_size)
        .integer("begin", number(input_.begin))
        .integer("set size", number(input_.set_size))
        .integer("scheme", static_cast<std::int64_t>(input_.scheme))
        .integer("first late", number(input_.first_late));
    if (input_.subset)
      out_.integer("subset size", number(input_.subset->size()))
          .digest("subset", digests_.of_list(*input_.subset, input_.subset_identity,
                                             input_.subset_version, kind_));
    for (const auto& pair : input_.pairs) {
      out_.begin("pair");
      columns(columns_of({&pair, 1}));
      for (const auto component : pair.components) out_.integer("index", component);
      out_.integer("element bytes", number(pair.element_bytes)).integer("staged", pair.staged);
      out_.end();
    }
    for (const auto& conflict : conflicts_of(input_)) {
      out_.begin("conflict");
      for (const auto& through : by_map(conflict)) {
        out_.begin("through");
        columns(through);
        for (const auto& column : through) out_.integer("index", column.component);
        out_.end();
      }
      out_.end();
    }
    return out_.view();
  }

 private:
  /// All digests of Maps, several at once: they are what takes the time.
  void compute_digests() {
    std::set<Columns> all;
    for (const auto& pair : input_.pairs) all.insert(columns_of({&pair, 1}));
    for (const auto& conflict : conflicts_of(input_))
      for (const auto& through : by_map(conflict)) all.insert(through);
    all.erase(Columns{});
    const std::vector<Columns> distinct(all.begin(), all.end());
    tbb::this_task_arena::isolate([&] {
      for_each_in_parallel(distinct.size(), [&](std::size_t i) { digest_of(distinct[i]); });
    });
  }

  /// Columns cut where the Map changes.
  static std::vector<Columns> by_map(const Columns& columns) {
    std::vector<Columns> result;
    for (const auto& column : columns) {
      if (result.empty() || result.back()[0].map != column.map) result.emplace_back();
      result.back().push_back(column);
    }
    return result;
  }

  std::size_t rows_of(const MapView& map) const {
    return std::min(input_.set_size, map.values.size() / map.arity);
  }
  Digest digest_of(const Columns& columns) {
    const auto& map = input_.maps[columns[0].map];
    std::vector<std::uint32_t> components;
    for (const auto& column : columns) components.push_back(column.component);
    return digests_.of_columns(map, components, rows_of(map), kind_);
  }

  static std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

  /// Columns of one Map; nothing where there are none.
  void columns(const Columns& columns) {
    if (columns.empty()) return;
    const auto& map = input_.maps[columns[0].map];
    out_.integer("map", maps_(columns[0].map))
        .integer("targets", number(map.targets))
        .integer("rows", number(rows_of(map)))
        .digest("values", digest_of(columns));
  }

  const PlanInput& input_;
  MapDigests& digests_;
  MapDigests::Kind kind_;
  CanonicalWriter out_{"mesh plan", 2};
  Numbered<std::size_t> maps_;  ///< in the order in which pairs, then conflicts, name them first
};

}  // namespace

Bytes plan_canonical(const PlanInput& input, MapDigests& digests, MapDigests::Kind kind) {
  return Writer(input, digests, kind).run();
}

std::uint64_t identity_hash(const PlanInput& input) noexcept {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  const auto add_pair = [&](const PlanPair& pair) {
    add(pair.map << 1 | static_cast<std::size_t>(pair.staged));
    add(pair.element_bytes << 16 ^ pair.components.size());
    for (const auto component : pair.components) add(component);
  };
  add(input.size);
  add(input.begin);
  add(input.set_size);
  add(input.first_late);
  add(std::uint64_t{input.block_size} << 8 | static_cast<std::uint64_t>(input.scheme) << 1 |
      static_cast<std::uint64_t>(input.subset.has_value()));
  add(input.subset_identity);
  add(input.subset_version);
  for (const auto& map : input.maps) {
    add(map.identity);
    add(map.version);
  }
  for (const auto& pair : input.pairs) add_pair(pair);
  for (const auto& conflict : input.conflicts) {
    add(conflict.through.size());
    for (const auto& pair : conflict.through) add_pair(pair);
  }
  return hash;
}

bool same_identity(const PlanInput& a, const PlanInput& b) noexcept {
  return a.size == b.size && a.begin == b.begin && a.set_size == b.set_size &&
         a.block_size == b.block_size && a.scheme == b.scheme && a.first_late == b.first_late &&
         a.subset.has_value() == b.subset.has_value() && a.subset_identity == b.subset_identity &&
         a.subset_version == b.subset_version && a.pairs == b.pairs && a.conflicts == b.conflicts &&
         std::ranges::equal(a.maps, b.maps, [](const MapView& one, const MapView& other) {
           return one.identity == other.identity && one.version == other.version &&
                  one.arity == other.arity && one.targets == other.targets;
         });
}

PlanInput identity_of(const PlanInput& input) {
  PlanInput identity = input;
  if (identity.subset) identity.subset.emplace();
  for (auto& map : identity.maps) {
    map.values = {};
    map.name = {};
  }
  return identity;
}

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

PlanPtr PlanSource::find(const PlanInput& input) {
  const std::lock_guard lock(mutex_);
  const Known* known = names_.find(input);
  return known != nullptr ? known->plan.lock() : nullptr;
}

std::shared_ptr<const Bytes> PlanSource::canonical_of(const PlanInput& input) {
  {
    const std::lock_guard lock(mutex_);
    if (const Known* known = names_.find(input)) return known->canonical;
  }
  // Keys that are not kept need no digest that is safe among strangers.
  const auto kind =
      resolver_.store() != nullptr ? MapDigests::Kind::strong : MapDigests::Kind::quick;
  return std::make_shared<const Bytes>(plan_canonical(input, digests_, kind));
}

void PlanSource::remember(const PlanInput& input, std::shared_ptr<const Bytes> canonical,
                          const PlanPtr& plan) {
  const std::lock_guard lock(mutex_);
  if (Known* known = names_.find(input))
    known->plan = plan;
  else
    names_.add(identity_of(input), {std::move(canonical), plan});
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
  names_.erase_if([&](const PlanInput& input) {
    return (input.subset && input.subset_identity == identity) ||
           std::ranges::any_of(input.maps,
                               [&](const MapView& map) { return map.identity == identity; });
  });
}

std::size_t PlanSource::names() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

}  // namespace kiln::mesh
