// Plans held against their definition.
#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

/// The first property that does not hold.
struct Violation {
  std::string text;
};

template <class... Arguments>
void expect_rule(bool holds, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!holds) throw Violation{fmt::format(text, std::forward<Arguments>(arguments)...)};
}

class Check {
 public:
  Check(const PlanInput& input, const MeshPlan& plan) : input_(input), plan_(plan) {}

  void run() const {
    expect_rule(plan_.scheme() == input_.scheme, "scheme {}, expected {}",
                static_cast<int>(plan_.scheme()), static_cast<int>(input_.scheme));
    expect_rule(plan_.begin() == input_.begin && plan_.size() == input_.size,
                "part of {} elements from {} on, expected {} from {} on", plan_.size(),
                plan_.begin(), input_.size, input_.begin);
    expect_rule(plan_.block_size() == input_.block_size, "blocks of {}, expected {}",
                plan_.block_size(), input_.block_size);
    if (input_.scheme == Scheme::permuted) {
      colours_of_elements();
      return;
    }
    expect_rule(plan_.first_late_colour() == 0, "late colours of blocks");
    blocks();
    colours_of_blocks();
    if (input_.scheme == Scheme::staged) staging();
  }

 private:
  std::size_t element(std::size_t position) const {
    const std::size_t place = input_.begin + position;
    return input_.subset ? static_cast<std::size_t>((*input_.subset)[place]) : place;
  }
  std::int32_t target(std::size_t map, std::uint32_t component, std::size_t position) const {
    const auto value =
        input_.maps[map].values[element(position) * input_.maps[map].arity + component];
    expect_rule(value >= 0 && static_cast<std::size_t>(value) < input_.maps[map].targets,
                "map {}, row {}, component {} is {}, expected fewer than {}", map,
                element(position), component, value, input_.maps[map].targets);
    return value;
  }
  /// Calls with every (conflict, target) that positions first … first + count - 1 reach.
  template <class Call>
  void each_conflict(std::size_t first, std::size_t count, Call&& call) const {
    for (std::size_t c = 0; c < input_.conflicts.size(); ++c)
      for (const auto& pair : input_.conflicts[c].through)
        for (const auto component : pair.components)
          for (std::size_t i = first; i < first + count; ++i)
            call(c, target(pair.map, component, i));
  }

  /// Which vertex reached a target of a conflict last, among those that must not share one.
  class Reached {
   public:
    /// Forgets all vertices.
    void next_colour() { last_.clear(); }
    /// Which other vertex reached it, or -1.
    std::int64_t other(std::size_t conflict, std::int32_t target, std::size_t vertex) {
      const auto key =
          static_cast<std::uint64_t>(conflict) << 32 | static_cast<std::uint32_t>(target);
      const auto [entry, first] = last_.try_emplace(key, vertex);
      return first || entry->second == vertex ? -1 : static_cast<std::int64_t>(entry->second);
    }

   private:
    std::unordered_map<std::uint64_t, std::size_t> last_;
  };

  /// That `starts` cuts `sorted` into colours, that these are numbers first … first + size - 1,
  /// each once and rising within each colour.
  void permutation(const char* name, std::span<const std::int32_t> sorted,
                   std::size_t first) const {
    const auto starts = plan_.color_offs;
    expect_rule(starts.size() == plan_.ncolors() + 1 && starts.front() == 0 &&
                    starts.back() == static_cast<std::int32_t>(sorted.size()),
                "color_offs does not run from 0 to {}", sorted.size());
    std::vector<bool> seen(sorted.size());
    for (std::size_t c = 0; c < plan_.ncolors(); ++c) {
      expect_rule(starts[c] < starts[c + 1], "colour {} is empty", c);
      for (auto i = static_cast<std::size_t>(starts[c]);
           i < static_cast<std::size_t>(starts[c + 1]); ++i) {
        const auto number = static_cast<std::size_t>(sorted[i]) - first;
        expect_rule(sorted[i] >= 0 && number < sorted.size() && !seen[number],
                    "{}[{}] is {}, which is outside or there twice", name, i, sorted[i]);
        seen[number] = true;
        expect_rule(i == static_cast<std::size_t>(starts[c]) || sorted[i - 1] < sorted[i],
                    "{}[{}] does not rise within colour {}", name, i, c);
      }
    }
  }

  /// That `sorted` has numbers from `first` on, and that no two of a colour share a target of a
  /// conflict. `positions`: from which position on a number has how many.
  template <class Positions>
  void colours(const char* name, const char* things, std::span<const std::int32_t> sorted,
               std::size_t first, const Positions& positions) const {
    permutation(name, sorted, first);
    Reached reached;
    for (std::size_t c = 0; c < plan_.ncolors(); ++c) {
      reached.next_colour();
      for (auto i = plan_.color_offs[c]; i < plan_.color_offs[c + 1]; ++i) {
        const auto number = static_cast<std::size_t>(sorted[static_cast<std::size_t>(i)]);
        const auto [begin, count] = positions(number);
        each_conflict(begin, count, [&](std::size_t conflict, std::int32_t at) {
          const auto other = reached.other(conflict, at, number);
          expect_rule(other < 0, "{} {} and {} of colour {} share target {} of conflict {}", things,
                      other, number, c, at, conflict);
        });
      }
    }
  }

  void colours_of_elements() const {
    expect_rule(plan_.order.size() == input_.size, "order has {} entries, expected {}",
                plan_.order.size(), input_.size);
    colours("order", "elements", plan_.order, input_.begin,
            [&](std::size_t element) { return std::pair(element - input_.begin, std::size_t{1}); });
    late_colours();
  }

  void late_colours() const {
    const std::size_t first = plan_.first_late_colour();
    expect_rule((first > 0) == has_late(input_), "late colours from {} on, with {} late elements",
                first, has_late(input_) ? input_.size - input_.first_late : 0);
    for (std::size_t c = 0; c < first; ++c)
      for (auto i = plan_.color_offs[c]; i < plan_.color_offs[c + 1]; ++i) {
        const auto place = static_cast<std::size_t>(plan_.order[static_cast<std::size_t>(i)]);
        expect_rule(place - input_.begin < input_.first_late,
                    "late element {} has colour {}, expected {} or more", place, c, first);
      }
  }

  void blocks() const {
    const std::size_t expected = (input_.size + input_.block_size - 1) / input_.block_size;
    expect_rule(plan_.nblocks() == expected, "{} blocks, expected {}", plan_.nblocks(), expected);
    std::size_t next = input_.begin;
    for (std::size_t b = 0; b < expected; ++b) {
      const auto length =
          std::min<std::size_t>(input_.block_size, input_.begin + input_.size - next);
      expect_rule(plan_.offset[b] == static_cast<std::int32_t>(next) &&
                      plan_.nelems[b] == static_cast<std::int32_t>(length),
                  "block {} has {} elements from {} on, expected {} from {} on", b, plan_.nelems[b],
                  plan_.offset[b], length, next);
      next += length;
    }
  }

  std::size_t first_of(std::size_t block) const { return block * input_.block_size; }
  std::size_t count_of(std::size_t block) const {
    return static_cast<std::size_t>(plan_.nelems[block]);
  }

  void colours_of_blocks() const {
    colours("blkmap", "blocks", plan_.blkmap, 0,
            [&](std::size_t block) { return std::pair(first_of(block), count_of(block)); });
    for (std::size_t c = 0; c < plan_.ncolors(); ++c) {
      const auto blocks = plan_.color_offs[c + 1] - plan_.color_offs[c];
      expect_rule(plan_.ncolblk[c] == blocks, "ncolblk[{}] is {}, expected {}", c, plan_.ncolblk[c],
                  blocks);
    }
  }

  void staging() const {
    expect_rule(plan_.npairs() == input_.pairs.size(), "{} pairs, expected {}", plan_.npairs(),
                input_.pairs.size());
    for (std::size_t p = 0; p < input_.pairs.size(); ++p) {
      const std::size_t slots = input_.pairs[p].staged ? input_.pairs[p].components.size() : 0;
      expect_rule(plan_.slots(p) == slots, "pair {} has {} slots, expected {}", p, plan_.slots(p),
                  slots);
    }
    std::vector<std::size_t> staged(input_.pairs.size());
    std::size_t most = 0;
    for (std::size_t b = 0; b < plan_.nblocks(); ++b) {
      std::size_t bytes = 0;
      for (std::size_t p = 0; p < input_.pairs.size(); ++p) {
        const std::size_t count = list(b, p);
        staged[p] += count;
        bytes += (count * input_.pairs[p].element_bytes + 15) / 16 * 16;
      }
      most = std::max(most, bytes);
      colours_within(b);
    }
    for (std::size_t p = 0; p < input_.pairs.size(); ++p)
      expect_rule(plan_.nindirect[p] == static_cast<std::int64_t>(staged[p]),
                  "nindirect[{}] is {}, expected {}", p, plan_.nindirect[p], staged[p]);
    expect_rule(plan_.nshared() == most, "nshared is {}, expected {}", plan_.nshared(), most);
  }

  /// The list of a pair in a block and the rows that lead into it; how long it must be.
  std::size_t list(std::size_t b, std::size_t p) const {
    const auto& pair = input_.pairs[p];
    const std::size_t entry = b * input_.pairs.size() + p;
    std::set<std::int32_t> expected;
    if (pair.staged)
      for (const auto component : pair.components)
        for (std::size_t i = 0; i < count_of(b); ++i)
          expected.insert(target(pair.map, component, first_of(b) + i));
    const auto size = plan_.ind_sizes[entry], begin = plan_.ind_offs[entry];
    expect_rule(size == static_cast<std::int64_t>(expected.size()),
                "block {} stages {} targets of pair {}, expected {}", b, size, p, expected.size());
    expect_rule(
        begin >= 0 && static_cast<std::size_t>(begin) + expected.size() <= plan_.ind_map.size(),
        "block {}'s list of pair {} leaves ind_map", b, p);
    const auto found = plan_.ind_map.subspan(static_cast<std::size_t>(begin), expected.size());
    std::size_t at = 0;
    for (const auto wanted : expected) {
      expect_rule(found[at] == wanted, "ind_map of block {}, pair {}, place {} is {}, expected {}",
                  b, p, at, found[at], wanted);
      ++at;
    }
    if (pair.staged) rows(b, p, found);
    return expected.size();
  }

  void rows(std::size_t b, std::size_t p, std::span<const std::int32_t> list) const {
    const auto& pair = input_.pairs[p];
    for (std::size_t slot = 0; slot < pair.components.size(); ++slot)
      for (std::size_t i = first_of(b); i < first_of(b) + count_of(b); ++i) {
        const auto wanted = target(pair.map, pair.components[slot], i);
        const auto loc = plan_.loc(p, slot, i);
        expect_rule(
            loc < list.size() && list[loc] == wanted,
            "loc_map of pair {}, slot {}, position {} is {}, which is not where target {} stands",
            p, slot, i, loc, wanted);
      }
  }

  void colours_within(std::size_t b) const {
    const auto colours = static_cast<std::size_t>(plan_.nthrcol[b]);
    expect_rule(colours <= count_of(b),
                "nthrcol[{}] is {}, expected at most the block's {} elements", b, plan_.nthrcol[b],
                count_of(b));
    std::vector<bool> used(colours);
    std::vector<Reached> reached(colours);
    for (std::size_t i = first_of(b); i < first_of(b) + count_of(b); ++i) {
      const auto colour = static_cast<std::size_t>(plan_.thrcol[i]);
      expect_rule(colour < colours, "thrcol[{}] is {}, expected fewer than {}", i, plan_.thrcol[i],
                  plan_.nthrcol[b]);
      used[colour] = true;
      each_conflict(i, 1, [&](std::size_t conflict, std::int32_t at) {
        const auto other = reached[colour].other(conflict, at, i);
        expect_rule(other < 0,
                    "positions {} and {} of block {}, colour {}, share target {} of conflict {}",
                    other, i, b, colour, at, conflict);
      });
    }
    for (std::size_t c = 0; c < colours; ++c)
      expect_rule(used[c], "colour {} of block {} has no element", c, b);
  }

  const PlanInput& input_;
  const MeshPlan& plan_;
};

}  // namespace

std::string check_plan(const PlanInput& input, const MeshPlan& plan) {
  try {
    Check(input, plan).run();
  } catch (const Violation& violation) {
    return violation.text;
  }
  return {};
}

}  // namespace kiln::mesh
