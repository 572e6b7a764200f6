// The making of a plan: blocks and their colours, greedily, colours of elements, staging.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "kernel/program/plan.hpp"
#include "mesh/plan/staging.hpp"

namespace kiln::mesh {
namespace {

struct Colouring {
  std::vector<std::int32_t> colours;  ///< by vertex
  std::size_t count = 0;              ///< colours 0 … count - 1 all occur
};

/// The targets that blocks reach, each once, where staging has found them already: pair p's of
/// block b as in MeshPlan.
struct StagedTargets {
  std::span<const std::int32_t> ind_map, ind_sizes, ind_offs;
  std::size_t pairs = 0;
  std::vector<int> pair;  ///< by conflict: which pair has exactly its columns; -1: none
};

/// One pass: colours base … base + bits of Mask - 1. Passes give what unbounded masks would: a
/// vertex that finds all bits taken waits, and only those that wait share the next base.
template <class Mask>
class Pass {
 public:
  Pass(const PlanInput& input, const std::vector<Columns>& conflicts, const StagedTargets* staged)
      : staged_(staged) {
    masks_.reserve(conflicts.size());
    for (std::size_t c = 0; c < conflicts.size(); ++c) {
      const auto& columns = conflicts[c];
      masks_.emplace_back(input.maps[columns[0].map].targets);
      if (staged != nullptr && staged->pair[c] >= 0) {
        lists_.push_back({static_cast<std::size_t>(staged->pair[c]), masks_.back().data()});
        continue;
      }
      for (const auto& column : columns)
        entries_.push_back({ColumnValues(input, column), masks_.back().data()});
    }
  }

  /// The least free bit of the run of positions first … end - 1, which is then taken at all its
  /// targets; -1: none is free.
  template <class Elements>
  int take(Elements elements, std::size_t run, std::size_t first, std::size_t end) {
    Mask taken = 0;
    for (const auto& [values, masks] : entries_)
      for (std::size_t i = first; i < end; ++i) taken |= masks[values.at(elements(i))];
    for (const auto& [pair, masks] : lists_)
      for (const auto target : targets(run, pair)) taken |= masks[target];
    if (taken == std::numeric_limits<Mask>::max()) return -1;
    const int bit = std::countr_one(taken);
    const auto mark = static_cast<Mask>(Mask{1} << bit);
    // Copies, because a write to a mask, being a byte, could change anything that lies in memory.
    for (const auto [values, masks] : entries_)
      for (std::size_t i = first; i < end; ++i) masks[values.at(elements(i))] |= mark;
    for (const auto [pair, masks] : lists_)
      for (const auto target : targets(run, pair)) masks[target] |= mark;
    return bit;
  }

 private:
  struct Entry {
    ColumnValues values;
    Mask* masks;
  };
  struct List {
    std::size_t pair;
    Mask* masks;
  };
  std::span<const std::int32_t> targets(std::size_t run, std::size_t pair) const {
    const std::size_t at = run * staged_->pairs + pair;
    return staged_->ind_map.subspan(static_cast<std::size_t>(staged_->ind_offs[at]),
                                    static_cast<std::size_t>(staged_->ind_sizes[at]));
  }
  const StagedTargets* staged_;
  std::vector<std::vector<Mask>> masks_;  // by target, for each conflict
  std::vector<Entry> entries_;
  std::vector<List> lists_;
};

/// Colours runs of `run` consecutive positions of the part (the last may be shorter), greedily: a
/// run gets the least colour that no earlier one has with which it shares a target of a conflict.
/// Checks the targets of `columns` as it goes; those of conflicts must be among them, or have been
/// checked. `staged`: runs are blocks, and these are their targets.
Colouring colour_runs(const PlanInput& input, const std::vector<Columns>& conflicts,
                      const Columns& columns, std::size_t run,
                      const StagedTargets* staged = nullptr) {
  const std::size_t vertices = (input.size + run - 1) / run;
  Colouring result{std::vector<std::int32_t>(vertices), 0};
  const auto end_of = [&](std::size_t v) { return std::min(input.size, (v + 1) * run); };
  std::vector<std::size_t> waiting;
  const auto colour = [&](std::size_t vertex, int base, int bit) {
    if (bit < 0) {
      waiting.push_back(vertex);
      return;
    }
    result.colours[vertex] = base + bit;
    result.count = std::max(result.count, static_cast<std::size_t>(base + bit) + 1);
  };
  with_elements(input, [&](auto elements) {
    {
      // Masks of a byte keep more of a mesh in the cache, and eight colours mostly suffice.
      Pass<std::uint8_t> pass(input, conflicts, staged);
      // Checked in pieces that are still in the cache when they are used.
      const std::size_t piece = std::max<std::size_t>(1, 512 / run);
      for (std::size_t v = 0; v < vertices; ++v) {
        if (v % piece == 0)
          check_targets(input, columns, v * run,
                        end_of(std::min(v + piece, vertices) - 1) - v * run);
        colour(v, 0, pass.take(elements, v, v * run, end_of(v)));
      }
    }
    for (int base = 8; !waiting.empty(); base += 64) {
      Pass<std::uint64_t> pass(input, conflicts, staged);
      for (const auto v : std::exchange(waiting, {}))
        colour(v, base, pass.take(elements, v, v * run, end_of(v)));
    }
  });
  return result;
}

/// Where each colour begins among the vertices sorted by colour; one more than there are colours.
std::vector<std::int32_t> starts_of_colours(const Colouring& colouring) {
  std::vector<std::int32_t> starts(colouring.count + 1);
  for (const auto colour : colouring.colours) ++starts[static_cast<std::size_t>(colour) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

/// The vertices sorted by colour, stably: `order` gets first + vertex.
void sort_by_colour(const Colouring& colouring, std::span<const std::int32_t> starts,
                    std::int32_t first, std::span<std::int32_t> order) {
  std::vector<std::int32_t> next(starts.begin(), starts.end());
  for (std::size_t v = 0; v < colouring.colours.size(); ++v)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(colouring.colours[v])]++)] =
        first + static_cast<std::int32_t>(v);
}

/// Arrays of a plan in the making, by name: fixed ones first, then those whose size comes late.
class Draft {
 public:
  void declare(const char* name, std::size_t bytes) { arrays_.push_back({name, bytes}); }
  void allocate() { draft_.emplace(arrays_); }
  template <class T = std::int32_t>
  std::span<T> array(std::string_view name) {
    return draft_->array<T>(place(name));
  }
  void shorten(std::string_view name, std::size_t bytes) { draft_->shorten(place(name), bytes); }
  PlanPtr finish() { return draft_->finish(); }

 private:
  std::size_t place(std::string_view name) const {
    std::size_t at = 0;
    while (arrays_[at].name != name) ++at;
    return at;
  }
  std::vector<PlanDraft::Array> arrays_;
  std::optional<PlanDraft> draft_;
};

template <class T>
void fill(std::span<T> array, const auto& values) {
  std::ranges::copy(values, array.begin());
}

class PlanBuild {
 public:
  PlanBuild(const PlanInput& input, PlanWork& work)
      : input_(input),
        work_(work),
        conflicts_(conflicts_of(input)),
        layout_(staging_layout(input.pairs)),
        blocks_((input.size + input.block_size - 1) / input.block_size) {}

  PlanPtr run() {
    if (input_.scheme == Scheme::permuted) return permuted();
    declare_blocks();
    if (input_.scheme == Scheme::staged) declare_staged();
    // Their sizes follow from the colours; no colour is without a block.
    draft_.declare("ncolblk", blocks_ * 4);
    draft_.declare("color_offs", (blocks_ + 1) * 4);
    draft_.allocate();
    std::size_t nshared = 0;
    StagedTargets targets;
    if (input_.scheme == Scheme::staged) {
      const StagedTotals staged = stage_blocks();
      draft_.shorten("ind_map", staged.ind_map * 4);
      nshared = staged.nshared;
      targets = staged_targets();
    }
    const Colouring colouring =
        colour_runs(input_, conflicts_, unstaged_columns(), input_.block_size,
                    input_.scheme == Scheme::staged ? &targets : nullptr);
    write_colours(colouring);
    write_head(blocks_, colouring.count, nshared);
    return draft_.finish();
  }

 private:
  /// The columns whose values staging has not checked.
  Columns unstaged_columns() const {
    std::vector<PlanPair> pairs, staged;
    for (const auto& pair : input_.pairs)
      (input_.scheme == Scheme::staged && pair.staged ? staged : pairs).push_back(pair);
    for (const auto& conflict : input_.conflicts)
      pairs.insert(pairs.end(), conflict.through.begin(), conflict.through.end());
    Columns columns;
    std::ranges::set_difference(columns_of(pairs), columns_of(staged), std::back_inserter(columns));
    return columns;
  }

  StagedTargets staged_targets() {
    StagedTargets targets{draft_.array("ind_map"),
                          draft_.array("ind_sizes"),
                          draft_.array("ind_offs"),
                          input_.pairs.size(),
                          {}};
    for (const auto& columns : conflicts_) {
      targets.pair.push_back(-1);
      for (std::size_t p = 0; p < input_.pairs.size(); ++p)
        if (layout_.list[p] >= 0 && columns_of({&input_.pairs[p], 1}) == columns)
          targets.pair.back() = static_cast<int>(p);
    }
    return targets;
  }

  PlanPtr permuted() {
    const Colouring colouring = colour_runs(input_, conflicts_, unstaged_columns(), 1);
    draft_.declare("head", plan_head_size * 8);
    draft_.declare("order", input_.size * 4);
    draft_.declare("color_offs", (colouring.count + 1) * 4);
    draft_.allocate();
    const auto starts = starts_of_colours(colouring);
    fill(draft_.array("color_offs"), starts);
    sort_by_colour(colouring, starts, static_cast<std::int32_t>(input_.begin),
                   draft_.array("order"));
    write_head(0, colouring.count, 0);
    return draft_.finish();
  }

  void declare_blocks() {
    draft_.declare("head", plan_head_size * 8);
    for (const char* name : {"offset", "nelems", "blkmap"}) draft_.declare(name, blocks_ * 4);
  }

  void declare_staged() {
    const std::size_t pairs = input_.pairs.size();
    std::size_t slots = 0;
    for (const auto& rows : layout_.rows) slots += rows.size();
    if (layout_.row_count * input_.size > std::numeric_limits<std::int32_t>::max())
      throw Error(Errc::unsupported,
                  fmt::format("mesh plan: {} elements with {} staged components each, expected "
                              "fewer than 2^31 in all: make the part smaller",
                              input_.size, layout_.row_count));
    draft_.declare("ind_sizes", blocks_ * pairs * 4);
    draft_.declare("ind_offs", blocks_ * pairs * 4);
    draft_.declare("nindirect", pairs * 4);
    draft_.declare("loc_first", (pairs + 1) * 4);
    draft_.declare("loc_rows", slots * 4);
    draft_.declare("thrcol", input_.size * 4);
    draft_.declare("nthrcol", blocks_ * 4);
    draft_.declare("loc_map", layout_.row_count * input_.size * loc_bytes_of(input_));
    draft_.declare("ind_map", layout_.row_count * input_.size * 4);
  }

  StagedTotals stage_blocks() {
    const StagedArrays arrays{
        draft_.array("ind_sizes"), draft_.array("ind_offs"),           draft_.array("thrcol"),
        draft_.array("nthrcol"),   draft_.array<std::byte>("loc_map"), loc_bytes_of(input_),
        draft_.array("ind_map")};
    const auto result = stage(input_, layout_, conflicts_, arrays);
    fill(draft_.array("nindirect"), result.nindirect);
    work_.cleared = result.cleared;
    std::vector<std::int32_t> first{0}, rows;
    for (const auto& of_pair : layout_.rows) {
      rows.insert(rows.end(), of_pair.begin(), of_pair.end());
      first.push_back(static_cast<std::int32_t>(rows.size()));
    }
    fill(draft_.array("loc_first"), first);
    fill(draft_.array("loc_rows"), rows);
    return result;
  }

  void write_colours(const Colouring& colouring) {
    const auto offset = draft_.array("offset"), nelems = draft_.array("nelems");
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t first = b * input_.block_size;
      offset[b] = static_cast<std::int32_t>(input_.begin + first);
      nelems[b] =
          static_cast<std::int32_t>(std::min<std::size_t>(input_.block_size, input_.size - first));
    }
    const auto starts = starts_of_colours(colouring);
    sort_by_colour(colouring, starts, 0, draft_.array("blkmap"));
    draft_.shorten("ncolblk", colouring.count * 4);
    draft_.shorten("color_offs", starts.size() * 4);
    const auto counts = draft_.array("ncolblk");
    for (std::size_t c = 0; c < colouring.count; ++c) counts[c] = starts[c + 1] - starts[c];
    fill(draft_.array("color_offs"), starts);
  }

  void write_head(std::size_t blocks, std::size_t colours, std::size_t nshared) {
    const bool staged = input_.scheme == Scheme::staged;
    const std::size_t head[] = {plan_schema,
                                static_cast<std::size_t>(input_.scheme),
                                input_.begin,
                                input_.size,
                                input_.block_size,
                                blocks,
                                colours,
                                staged ? input_.pairs.size() : 0,
                                nshared,
                                staged ? loc_bytes_of(input_) : 0,
                                staged ? layout_.row_count : 0};
    static_assert(std::size(head) == plan_head_size);
    fill(draft_.array<std::int64_t>("head"), head);
  }

  const PlanInput& input_;
  PlanWork& work_;
  std::vector<Columns> conflicts_;
  StagingLayout layout_;
  std::size_t blocks_;
  Draft draft_;
};

}  // namespace

PlanPtr build_plan(const PlanInput& input, PlanWork* work) {
  check_input(input);
  PlanWork unread;
  try {
    // A thread that waits for others takes up none of its caller's tasks meanwhile: one that wants
    // this very plan would wait for itself.
    return tbb::this_task_arena::isolate(
        [&] { return PlanBuild(input, work != nullptr ? *work : unread).run(); });
  } catch (const Error& error) {
    // Which block found it depends on the threads; the first one is named.
    if (error.code() != Errc::bad_input) throw;
    std::vector<PlanPair> all = input.pairs;
    for (const auto& conflict : input.conflicts)
      all.insert(all.end(), conflict.through.begin(), conflict.through.end());
    check_targets(input, columns_of(all), 0, input.size);
    throw;
  }
}

}  // namespace kiln::mesh
