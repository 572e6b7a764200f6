// What a loop executes redundantly, and what it reads of others: only what its own maps need.
#include "mesh/loop/loop_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/codegen/layout.hpp"
#include "mesh/loop/arguments.hpp"
#include "mesh/loop/loop_session.hpp"

namespace kiln::mesh {
namespace {

bool reads(const Arg& arg) { return arg.access == Access::read || arg.access == Access::rw; }

/// The maps that a loop writes through, as bits of SetPart::exec_maps.
std::uint64_t written_maps(std::span<const Arg> arguments) {
  std::uint64_t bits = 0;
  for (const Arg& arg : arguments)
    if (arg.map != nullptr && (arg.kind == Arg::Kind::mat || arg.access != Access::read))
      bits |= arg.map->exec_bit();
  return bits;
}

/// Finds the ranges of a loop over a part of a set, and what it reads outside of it.
class PartOfLoop {
 public:
  PartOfLoop(const LoopShape& shape, const LoopOver& over, std::span<const Arg> arguments)
      : shape_(shape), over_(over), arguments_(arguments), written_(written_maps(arguments)) {}

  std::vector<LoopRange> ranges() const {
    const auto& at = over_.sizes();
    std::vector<LoopRange> ranges{{0, at[0], true, true}, {at[0], at[1], false, true}};
    if (over_.set->part == nullptr) {
      if (needs_exec_halo(shape_)) ranges.push_back({at[1], at[2], false, false});
    } else if (written_ != 0) {
      add_exec_runs(ranges);
    }
    std::erase_if(ranges, [](const LoopRange& range) { return range.begin == range.end; });
    return ranges;
  }

  /// Of each Dat on a Set in parts that it reads elsewhere than in owned elements, in the order of
  /// the arguments: the same ones on all parts.
  std::vector<std::pair<DatState*, HaloNeed>> needs() const {
    std::vector<std::pair<DatState*, HaloNeed>> found;
    for (const Arg& arg : arguments_) {
      if (arg.kind != Arg::Kind::dat || !reads(arg) || !dat_of(arg).is_in_parts()) continue;
      DatState& dat = dat_of(arg);
      const bool is_known =
          std::ranges::any_of(found, [&](const auto& one) { return one.first == &dat; });
      if (is_known) continue;
      HaloNeed need = need_of(dat);
      if (!need.recipe.empty()) found.emplace_back(&dat, std::move(need));
    }
    return found;
  }

 private:
  /// Runs of the exec halo that its own written maps need.
  void add_exec_runs(std::vector<LoopRange>& ranges) const {
    const std::size_t owned = over_.set->sizes[1];
    const auto& maps = over_.set->part->exec_maps;
    const bool counts = !fold_parameters(shape_).empty();
    for (std::size_t begin = 0; begin < maps.size();) {
      std::size_t end = begin;
      while (end < maps.size() && (maps[end] & written_) != 0) ++end;
      if (end > begin) {
        const LoopRange run = positions(owned + begin, owned + end);
        LoopRange& last = ranges.back();
        // Launched together where nothing is to be told apart.
        if (last.end == run.begin && !last.is_core && (!counts || !last.counts))
          last.end = run.end;
        else
          ranges.push_back(run);
      }
      begin = end + 1;
    }
  }

  /// Where a subset has some elements.
  LoopRange positions(std::size_t begin, std::size_t end) const {
    if (over_.subset == nullptr) return {begin, end, false, false};
    const auto& list = over_.subset->indices;
    const auto place = [&](std::size_t element) {
      return static_cast<std::size_t>(
          std::ranges::lower_bound(list, static_cast<std::int32_t>(element)) - list.begin());
    };
    return {place(begin), place(end), false, false};
  }

  /// What decides on the elements: what is executed, and each way to the Dat.
  HaloNeed need_of(DatState& dat) const {
    std::vector<std::pair<MapState*, int>> ways;  // a null Map: directly
    for (const Arg& arg : arguments_) {
      if (arg.data != &dat || !reads(arg)) continue;
      if (arg.map == nullptr && written_ == 0) continue;
      // An iteration index goes through all components.
      add_once(ways, std::pair(arg.map, arg.component));
    }
    HaloNeed need;
    need.set = Handles::state(dat.on.set()).get();
    if (ways.empty()) return need;
    need.recipe = {over_.set->id, over_.subset == nullptr ? 0 : over_.subset->id, over_.layers,
                   written_};
    std::vector<std::array<std::uint64_t, 3>> sorted;
    for (const auto& [map, component] : ways)
      sorted.push_back({map == nullptr ? 0 : map->id, map == nullptr ? 0 : map->version,
                        static_cast<std::uint64_t>(component)});
    std::ranges::sort(sorted);
    for (const auto& way : sorted) need.recipe.insert(need.recipe.end(), way.begin(), way.end());
    need.elements = [this, ways, set = need.set] { return elements_of(ways, *set); };
    return need;
  }

  std::vector<std::int32_t> elements_of(const std::vector<std::pair<MapState*, int>>& ways,
                                        const SetState& target) const {
    const std::size_t owned = target.sizes[1];
    std::vector<bool> is_read(target.sizes[3] - owned);
    const auto note = [&](std::int64_t element) {
      if (element >= static_cast<std::int64_t>(owned))
        is_read[static_cast<std::size_t>(element) - owned] = true;
    };
    for (const auto& [map, component] : ways)
      for_executed([&, map = map, component = component](std::size_t element) {
        if (map == nullptr) return note(static_cast<std::int64_t>(element));
        for (std::size_t c = 0; c < map->arity; ++c)
          if (component < 0 || c == static_cast<std::size_t>(component))
            note_column(*map, element, c, note);
      });
    std::vector<std::int32_t> elements;
    for (std::size_t k = 0; k < is_read.size(); ++k)
      if (is_read[k]) elements.push_back(static_cast<std::int32_t>(owned + k));
    return elements;
  }

  template <class Note>
  void note_column(MapState& map, std::size_t element, std::size_t component,
                   const Note& note) const {
    const std::int64_t lowest = map.view()[element * map.arity + component];
    note(lowest);
    for (std::size_t layer = 1; layer + 1 < over_.layers; ++layer)
      note(lowest + static_cast<std::int64_t>(layer) * map.offsets[component]);
  }

  /// Core elements reach nothing of others'.
  template <class Visit>
  void for_executed(const Visit& visit) const {
    for (const LoopRange& range : ranges())
      for (std::size_t at = range.is_core ? range.end : range.begin; at < range.end; ++at)
        visit(over_.subset == nullptr ? at : static_cast<std::size_t>(over_.subset->indices[at]));
  }

  const LoopShape& shape_;
  const LoopOver& over_;
  std::span<const Arg> arguments_;
  std::uint64_t written_;
};

/// Whether each element changes what is its own and nothing else, not even a sum.
bool writes_own(std::span<const Arg> arguments) {
  const auto changes = [](const Arg& arg) { return arg.access != Access::read; };
  return std::ranges::any_of(arguments, changes) &&
         std::ranges::none_of(arguments, [&](const Arg& arg) {
           return changes(arg) && (arg.kind != Arg::Kind::dat || arg.map != nullptr);
         });
}

/// A loop that waits for nothing from others needs no core.
void join_owned(std::vector<LoopRange>& ranges) {
  if (ranges.size() < 2 || !ranges[0].is_core || ranges[1].begin != ranges[0].end) return;
  if (!ranges[1].counts) return;
  ranges[1].begin = ranges[0].begin;
  ranges.erase(ranges.begin());
}

/// What must be the same on all parts, in words.
std::string details_of(const Session& session, const Kernel& kernel, const LoopOver& over,
                       std::span<const Arg> arguments) {
  std::string text = fmt::format("{}\nlayers {}, {}{}\n", kernel.code(), over.layers,
                                 over.subset == nullptr ? "all" : "a subset",
                                 session.checks_halos ? ", KILN_MPI_CHECK=1" : "");
  for (const Arg& arg : arguments)
    text += fmt::format("{} {} {} {} {} {} {}\n", label_of(arg), name_of(arg.access),
                        arg.map == nullptr ? "" : arg.map->name, arg.component, arg.index,
                        arg.column_map == nullptr ? "" : arg.column_map->name, arg.column_index);
  return text;
}

}  // namespace

bool needs_exec_halo(const LoopShape& shape) {
  return std::ranges::any_of(shape.arguments, [](const ArgShape& arg) {
    return arg.kind == ArgKind::mat || (arg.map >= 0 && arg.access != Access::read);
  });
}

std::vector<LoopRange> with_core_joined(std::span<const LoopRange> ranges) {
  std::size_t next = 1;
  while (next < ranges.size() && ranges[next].begin == ranges[next - 1].end) ++next;
  if (ranges.size() < 2 || next == 1 || !ranges[0].is_core) return {ranges.begin(), ranges.end()};
  LoopRange joined = ranges[0];
  joined.end = ranges[next - 1].end;
  joined.is_core = false;
  joined.first_late = ranges[0].end - ranges[0].begin;
  std::vector<LoopRange> all{joined};
  for (const LoopRange& range : ranges.subspan(next)) all.push_back(range);
  return all;
}

LoopParts parts_of(LoopSession& session, const Kernel& kernel, const LoopShape& shape,
                   const LoopOver& over, std::span<const Arg> arguments) {
  const PartOfLoop loop(shape, over, arguments);
  LoopParts parts;
  parts.ranges = loop.ranges();
  parts.core = over.set->sizes[0];
  for (const LoopRange& range : parts.ranges)
    if (range.end > over.sizes()[1])
      parts.redundant += range.end - std::max(range.begin, over.sizes()[1]);
  parts.is_distributed = session.is_distributed();
  if (!parts.is_distributed) return parts;
  parts.all = &session.parts();
  auto read_elsewhere = loop.needs();
  parts.writes_own = writes_own(arguments);
  // What others wait for may be computed before the core.
  if (read_elsewhere.empty() && !(parts.writes_own && session.has_staged_halos()))
    join_owned(parts.ranges);
  std::vector<HaloNeed> needs;
  std::vector<HaloRead> halo_reads;
  for (auto& [dat, need] : read_elsewhere) {
    needs.push_back(std::move(need));
    halo_reads.push_back({dat, nullptr});
  }
  const auto classes =
      parts.all->classes.get(fmt::format("loop {} over {}", kernel.name(), over.set->name),
                             details_of(session, kernel, over, arguments), needs);
  for (std::size_t i = 0; i < classes.size(); ++i) halo_reads[i].halo = classes[i];
  const bool has_core = !parts.ranges.empty() && parts.ranges.front().is_core;
  if (has_core && std::ranges::none_of(arguments, [&](const Arg& arg) {
        return arg.access != Access::read &&
               std::ranges::any_of(halo_reads,
                                   [&](const HaloRead& read) { return read.dat == arg.data; });
      }))
    parts.exchange_goes = Exchange::Where::next_to_loops;
  if (!halo_reads.empty())
    parts.exchange = std::make_unique<Exchange>(session, std::move(halo_reads), kernel.name());
  for (const Arg& arg : arguments) {
    if (arg.kind == Arg::Kind::global)
      add_once(parts.globals, std::pair(&global_of(arg), arg.access));
    if (arg.kind == Arg::Kind::dat && session.options.check && reads(arg) &&
        dat_of(arg).is_in_parts())
      add_once(parts.checked_reads, &dat_of(arg));
  }
  return parts;
}

}  // namespace kiln::mesh
