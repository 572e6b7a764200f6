#include "mesh/plan/plan_key.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <set>

#include "store/canonical.hpp"

namespace kiln::mesh {
namespace {

/// Maps in the order in which pairs, then conflicts, name them first.
class Numbers {
 public:
  std::int64_t of(std::size_t map) {
    const auto found = std::ranges::find(order_, map);
    if (found == order_.end()) {
      order_.push_back(map);
      return static_cast<std::int64_t>(order_.size()) - 1;
    }
    return found - order_.begin();
  }

 private:
  std::vector<std::size_t> order_;
};

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
        .integer("scheme", static_cast<std::int64_t>(input_.scheme));
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
      tbb::parallel_for(std::size_t{0}, distinct.size(),
                        [&](std::size_t i) { digest_of(distinct[i]); });
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
    out_.integer("map", maps_.of(columns[0].map))
        .integer("targets", number(map.targets))
        .integer("rows", number(rows_of(map)))
        .digest("values", digest_of(columns));
  }

  const PlanInput& input_;
  MapDigests& digests_;
  MapDigests::Kind kind_;
  CanonicalWriter out_{"mesh plan", 1};
  Numbers maps_;
};

/// A hash of words, one after another.
class WordHash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }
  void add(const PlanPair& pair) {
    add(pair.map << 1 | static_cast<std::size_t>(pair.staged));
    add(pair.element_bytes << 16 ^ pair.components.size());
    for (const auto component : pair.components) add(component);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

bool same(const PlanPair& a, const PlanPair& b) {
  return a.map == b.map && a.element_bytes == b.element_bytes && a.staged == b.staged &&
         a.components == b.components;
}
bool same(const MapView& a, const MapView& b) {
  return a.identity == b.identity && a.version == b.version && a.arity == b.arity &&
         a.targets == b.targets;
}
bool same(const PlanConflict& a, const PlanConflict& b) {
  return std::ranges::equal(a.through, b.through,
                            [](const auto& one, const auto& other) { return same(one, other); });
}

}  // namespace

Bytes plan_canonical(const PlanInput& input, MapDigests& digests, MapDigests::Kind kind) {
  return Writer(input, digests, kind).run();
}

std::uint64_t identity_hash(const PlanInput& input) noexcept {
  WordHash hash;
  hash.add(input.size);
  hash.add(input.begin);
  hash.add(input.set_size);
  hash.add(std::uint64_t{input.block_size} << 8 | static_cast<std::uint64_t>(input.scheme) << 1 |
           static_cast<std::uint64_t>(input.subset.has_value()));
  hash.add(input.subset_identity);
  hash.add(input.subset_version);
  for (const auto& map : input.maps) {
    hash.add(map.identity);
    hash.add(map.version);
  }
  for (const auto& pair : input.pairs) hash.add(pair);
  for (const auto& conflict : input.conflicts) {
    hash.add(conflict.through.size());
    for (const auto& pair : conflict.through) hash.add(pair);
  }
  return hash.value();
}

bool same_identity(const PlanInput& a, const PlanInput& b) noexcept {
  const auto alike = [](const auto& one, const auto& other) {
    return std::ranges::equal(one, other, [](const auto& x, const auto& y) { return same(x, y); });
  };
  return a.size == b.size && a.begin == b.begin && a.set_size == b.set_size &&
         a.block_size == b.block_size && a.scheme == b.scheme &&
         a.subset.has_value() == b.subset.has_value() && a.subset_identity == b.subset_identity &&
         a.subset_version == b.subset_version && alike(a.maps, b.maps) && alike(a.pairs, b.pairs) &&
         alike(a.conflicts, b.conflicts);
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

}  // namespace kiln::mesh
