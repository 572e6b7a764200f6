// The making of a plan: blocks and their colours, greedily, colours of elements, staging.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "kernel/program/plan.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

struct Colouring {
  std::vector<std::int32_t> colours;  ///< by vertex
  std::size_t count = 0;              ///< colours 0 … count - 1 all occur
  std::size_t first_late = 0;         ///< colour of late vertices; 0: there are none
};

/// The targets that blocks reach, each once, where staging has found them already: pair p's of
/// block b as in MeshPlan.
struct StagedTargets {
  const DraftArrays* arrays = nullptr;
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
    const DraftArrays& arrays = *staged_->arrays;
    return arrays.ind_map.subspan(static_cast<std::size_t>(arrays.ind_offs[at]),
                                  static_cast<std::size_t>(arrays.ind_sizes[at]));
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
class Colourer {
 public:
  Colourer(const PlanInput& input, const std::vector<Columns>& conflicts, const Columns& columns,
           std::size_t run, const StagedTargets* staged = nullptr)
      : input_(input),
        conflicts_(conflicts),
        columns_(columns),
        staged_(staged),
        run_(run),
        result_{std::vector<std::int32_t>((input.size + run - 1) / run)} {}

  Colouring colour() {
    const std::size_t end = has_late(input_) ? input_.first_late : vertices();
    colour(std::views::iota(std::size_t{0}, end), 0);
    if (has_late(input_)) colour_late();
    return std::move(result_);
  }

 private:
  std::size_t vertices() const { return result_.colours.size(); }

  /// Late vertices, then those whose colours may be late. The others keep theirs: which vertices
  /// get a colour depends on those with a lesser one alone.
  void colour_late() {
    result_.first_late = std::max<std::size_t>(1, result_.count / 2);
    std::vector<std::size_t> order(vertices() - input_.first_late);
    std::iota(order.begin(), order.end(), input_.first_late);
    for (std::size_t v = 0; v < input_.first_late; ++v)
      if (static_cast<std::size_t>(result_.colours[v]) >= result_.first_late) order.push_back(v);
    colour(order, static_cast<int>(result_.first_late));
    align_colours(input_, conflicts_, 0, result_.first_late, result_.colours);
    align_colours(input_, conflicts_, result_.first_late, result_.count, result_.colours);
    leave_out_empty_colours();
  }

  void leave_out_empty_colours() {
    std::vector<std::int32_t> names(result_.count);
    for (const auto colour : result_.colours) names[static_cast<std::size_t>(colour)] = 1;
    const auto early = names.begin() + static_cast<std::ptrdiff_t>(result_.first_late);
    result_.first_late = static_cast<std::size_t>(std::accumulate(names.begin(), early, 0));
    std::exclusive_scan(names.begin(), names.end(), names.begin(), 0);
    for (auto& colour : result_.colours) colour = names[static_cast<std::size_t>(colour)];
    result_.count = static_cast<std::size_t>(std::ranges::max(result_.colours)) + 1;
  }

  /// In this order, with colours from `base` on.
  template <class Vertices>
  void colour(const Vertices& order, int base) {
    // Runs of one element, known as such, need no loops.
    if (run_ == 1) return colour(order, base, std::integral_constant<std::size_t, 1>());
    colour(order, base, run_);
  }
  template <class Vertices, class Run>
  void colour(const Vertices& order, int base, Run run) {
    std::vector<std::size_t> waiting;
    // Copies, as in Pass::take().
    const std::size_t size = input_.size;
    std::int32_t* const colours = result_.colours.data();
    int last = -1;
    const auto take = [&](auto& pass, auto elements, std::size_t v) {
      const int bit =
          pass.take(elements, v, v * run, run == 1 ? v + 1 : std::min(size, (v + 1) * run));
      if (bit < 0) return false;
      colours[v] = base + bit;
      last = std::max(last, base + bit);
      return true;
    };
    with_elements(input_, [&](auto elements) {
      {
        // Masks of a byte keep more of a mesh in the cache, and eight colours mostly suffice.
        Pass<std::uint8_t> pass(input_, conflicts_, staged_);
        std::size_t checked = checked_;
        for (const std::size_t v : order) {
          if (v >= checked) checked = check_from(v);
          if (!take(pass, elements, v)) waiting.push_back(v);
        }
      }
      for (base += 8; !waiting.empty(); base += 64) {
        Pass<std::uint64_t> pass(input_, conflicts_, staged_);
        std::erase_if(waiting, [&](std::size_t v) { return take(pass, elements, v); });
      }
    });
    result_.count = static_cast<std::size_t>(last + 1);
  }

  /// A piece that is still in the cache when it is used.
  std::size_t check_from(std::size_t vertex) {
    checked_ = std::min(vertex + std::max<std::size_t>(1, 512 / run_), vertices());
    check_targets(input_, columns_, vertex * run_,
                  std::min(input_.size, checked_ * run_) - vertex * run_);
    return checked_;
  }

  const PlanInput& input_;
  const std::vector<Columns>& conflicts_;
  const Columns& columns_;
  const StagedTargets* staged_;
  std::size_t run_;
  std::size_t checked_ = 0;  ///< vertices before this one have been
  Colouring result_;
};

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

/// A plan in the making, with its arrays.
class Draft {
 public:
  /// As long as they may become.
  explicit Draft(const PlanSizes& sizes) : sizes_(sizes), draft_(list(sizes)) { place(); }

  const DraftArrays& operator*() const { return arrays_; }
  const DraftArrays* operator->() const { return &arrays_; }

  /// An array turned out to have `length` numbers: nothing behind it has been written yet.
  void shorten(std::string_view name, std::size_t length) {
    std::size_t at = 1;
    for_plan_arrays(arrays_, sizes_, [&](std::string_view known, auto& array, auto) {
      if (known == name) draft_.shorten(at, length * sizeof array[0]);
      ++at;
    });
    place();
  }
  PlanPtr finish(const PlanHead& head) {
    std::memcpy(draft_.bytes(0).data(), &head, sizeof head);
    return draft_.finish();
  }

 private:
  static PlanDraft list(const PlanSizes& sizes) {
    std::vector<PlanDraft::Array> list{{"head", sizeof(PlanHead)}};
    DraftArrays none;
    for_plan_arrays(none, sizes, [&](const char* name, auto& array, auto length) {
      list.push_back({name, *length * sizeof array[0]});
    });
    return PlanDraft(list);
  }
  void place() {
    std::size_t at = 1;
    for_plan_arrays(arrays_, sizes_, [&](const char*, auto& array, auto) {
      array = draft_.array<typename std::decay_t<decltype(array)>::value_type>(at++);
    });
  }
  PlanSizes sizes_;
  PlanDraft draft_;
  DraftArrays arrays_;
};

class PlanBuild {
 public:
  PlanBuild(const PlanInput& input, PlanWork& work)
      : input_(input),
        work_(work),
        conflicts_(conflicts_of(input)),
        layout_(staging_layout(input.pairs)) {
    head_.schema = plan_schema;
    head_.scheme = static_cast<std::uint64_t>(input.scheme);
    head_.begin = input.begin;
    head_.size = input.size;
    head_.block_size = input.block_size;
    if (input.scheme != Scheme::permuted)
      head_.nblocks = (input.size + input.block_size - 1) / input.block_size;
    if (!is_staged()) return;
    head_.npairs = input.pairs.size();
    head_.loc_bytes = loc_bytes_of(input);
    head_.loc_rows = layout_.row_count;
  }

  PlanPtr run() {
    if (input_.scheme == Scheme::permuted) return permuted();
    PlanSizes sizes{head_, slots(), layout_.row_count * input_.size};
    if (is_staged() && *sizes.ind_map > std::numeric_limits<std::int32_t>::max())
      throw Error(Errc::unsupported,
                  fmt::format("mesh plan: {} elements with {} staged components each, expected "
                              "fewer than 2^31 in all: make the part smaller",
                              input_.size, layout_.row_count));
    sizes.head.ncolors = head_.nblocks;  // no colour is without a block
    Draft draft(sizes);
    StagedTargets targets;
    if (is_staged()) {
      stage_blocks(draft);
      targets = staged_targets(*draft);
    }
    const Columns unstaged = unstaged_columns();
    const Colouring colouring =
        Colourer(input_, conflicts_, unstaged, input_.block_size, is_staged() ? &targets : nullptr)
            .colour();
    head_.ncolors = colouring.count;
    write_colours(draft, colouring);
    return draft.finish(head_);
  }

 private:
  bool is_staged() const { return input_.scheme == Scheme::staged; }

  /// The columns whose values staging has not checked.
  Columns unstaged_columns() const {
    std::vector<PlanPair> pairs, staged;
    for (const auto& pair : input_.pairs)
      (is_staged() && pair.staged ? staged : pairs).push_back(pair);
    for (const auto& conflict : input_.conflicts)
      pairs.insert(pairs.end(), conflict.through.begin(), conflict.through.end());
    Columns columns;
    std::ranges::set_difference(columns_of(pairs), columns_of(staged), std::back_inserter(columns));
    return columns;
  }

  StagedTargets staged_targets(const DraftArrays& arrays) const {
    StagedTargets targets{&arrays, input_.pairs.size(), {}};
    for (const auto& columns : conflicts_) {
      targets.pair.push_back(-1);
      for (std::size_t p = 0; p < input_.pairs.size(); ++p)
        if (layout_.list[p] >= 0 && columns_of({&input_.pairs[p], 1}) == columns)
          targets.pair.back() = static_cast<int>(p);
    }
    return targets;
  }

  PlanPtr permuted() {
    const Columns columns = unstaged_columns();
    const Colouring colouring = Colourer(input_, conflicts_, columns, 1).colour();
    head_.ncolors = colouring.count;
    head_.first_late_colour = colouring.first_late;
    Draft draft({head_});
    const auto starts = starts_of_colours(colouring);
    std::ranges::copy(starts, draft->color_offs.begin());
    sort_by_colour(colouring, starts, static_cast<std::int32_t>(input_.begin), draft->order);
    return draft.finish(head_);
  }

  std::size_t slots() const {
    std::size_t slots = 0;
    for (const auto& rows : layout_.rows) slots += rows.size();
    return slots;
  }

  void stage_blocks(Draft& draft) {
    const StagedTotals totals = stage(input_, layout_, conflicts_, *draft);
    work_.cleared = totals.cleared;
    head_.nshared = totals.nshared;
    auto row = draft->loc_rows.begin();
    draft->loc_first[0] = 0;
    for (std::size_t p = 0; p < layout_.rows.size(); ++p) {
      row = std::ranges::copy(layout_.rows[p], row).out;
      draft->loc_first[p + 1] = static_cast<std::int32_t>(row - draft->loc_rows.begin());
    }
    draft.shorten("ind_map", totals.ind_map);
  }

  void write_colours(Draft& draft, const Colouring& colouring) const {
    for (std::size_t b = 0; b < head_.nblocks; ++b) {
      const std::size_t first = b * input_.block_size;
      draft->offset[b] = static_cast<std::int32_t>(input_.begin + first);
      draft->nelems[b] =
          static_cast<std::int32_t>(std::min<std::size_t>(input_.block_size, input_.size - first));
    }
    const auto starts = starts_of_colours(colouring);
    sort_by_colour(colouring, starts, 0, draft->blkmap);
    draft.shorten("ncolblk", colouring.count);
    draft.shorten("color_offs", starts.size());
    for (std::size_t c = 0; c < colouring.count; ++c) draft->ncolblk[c] = starts[c + 1] - starts[c];
    std::ranges::copy(starts, draft->color_offs.begin());
  }

  const PlanInput& input_;
  PlanWork& work_;
  std::vector<Columns> conflicts_;
  StagingLayout layout_;
  PlanHead head_;
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
