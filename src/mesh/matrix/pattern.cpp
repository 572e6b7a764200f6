// Which entries a matrix has: compressed rows from pairs of Maps, and the bytes they are known by.
#include "mesh/matrix/pattern.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "base/data/bytes.hpp"
#include "kernel/program/plan.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/plan/parallel.hpp"
#include "store/key/canonical.hpp"

namespace kiln::mesh {
namespace {

/// Rows that one task gathers.
constexpr std::size_t rows_a_task = 4096;
/// More parts of the incidences than this cost more memory than they save time.
constexpr std::size_t most_parts = 16;

/// The target of component `component` of a cell: element * layers + layer.
std::int32_t target(const MapView& map, std::span<const std::int32_t> offsets, std::size_t layers,
                    std::size_t cell, std::size_t component) {
  if (layers == 1) return map.values[cell * map.arity + component];
  return map.values[cell / layers * map.arity + component] +
         static_cast<std::int32_t>(cell % layers) * offsets[component];
}

/// Columns go where their cells' lists say; cells of all pairs are numbered one after another.
class PatternBuild {
 public:
  explicit PatternBuild(const PatternInput& input) : input_(input) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    CheckedSize incidences = 0;
    for (const auto& pair : input.pairs) {
      incidences += CheckedSize(pair.elements) * pair.layers * pair.rows.arity;
      if (!incidences.fits(most))
        throw Error(
            Errc::unsupported,
            fmt::format("sparsity: its maps name {} rows in all, expected fewer than 2^32",
                        incidences.get() ? std::to_string(*incidences.get()) : "more than 2^64"));
      first_.push_back(first_.back() + pair.elements * pair.layers);
    }
    cells_.resize(incidences.get().value());
  }

  PlanPtr run() {
    check_columns();
    find_cells();
    gather();
    return finish();
  }

 private:
  std::size_t pair_of(std::size_t cell) const {
    std::size_t pair = 0;
    while (cell >= first_[pair + 1]) ++pair;
    return pair;
  }

  /// Maps are checked where they are made, but for what lies above their values.
  void check_columns() const {
    for (const auto& pair : input_.pairs) {
      if (pair.layers == 1) continue;
      check_column(pair, pair.rows, pair.row_offsets);
      check_column(pair, pair.columns, pair.column_offsets);
    }
  }
  static void check_column(const PatternPair& pair, const MapView& map,
                           std::span<const std::int32_t> offsets) {
    for (std::size_t element = 0; element < pair.elements; ++element)
      for (std::size_t c = 0; c < map.arity; ++c) {
        const auto top = static_cast<std::int64_t>(map.values[element * map.arity + c]) +
                         static_cast<std::int64_t>(pair.layers - 1) * offsets[c];
        if (top < 0 || top >= static_cast<std::int64_t>(map.targets))
          refuse(
              "sparsity: map {}: element {}, component {} leads to {} in the highest of {} cells, "
              "expected 0 to {}",
              map.name, element, c, top, pair.layers, static_cast<std::int64_t>(map.targets) - 1);
      }
  }

  /// Calls `each(cell, row)` for a part of all cells, rising.
  template <class Each>
  void incidences(std::size_t part, const Each& each) const {
    const std::size_t all = first_.back();
    std::size_t cell = all * part / parts_;
    const std::size_t end = all * (part + 1) / parts_;
    for (std::size_t p = 0; p < input_.pairs.size() && cell < end; ++p) {
      const PatternPair& pair = input_.pairs[p];
      for (; cell < std::min(end, first_[p + 1]); ++cell)
        for (std::size_t c = 0; c < pair.rows.arity; ++c)
          each(static_cast<std::uint32_t>(cell),
               static_cast<std::size_t>(
                   target(pair.rows, pair.row_offsets, pair.layers, cell - first_[p], c)));
    }
  }

  /// The cells of each row, by counting: parts of the cells count alone, then each knows where its
  /// own go. So the order is the same for any number of threads.
  void find_cells() {
    parts_ = std::clamp<std::size_t>(
        static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), 1, most_parts);
    std::vector<std::vector<std::uint32_t>> places(parts_);
    for_each_in_parallel(parts_, [&](std::size_t part) {
      places[part].assign(input_.rows, 0);
      auto* counts = places[part].data();
      incidences(part, [&](std::uint32_t, std::size_t row) { ++counts[row]; });
    });
    cells_of_.resize(input_.rows + 1);
    std::uint32_t sum = 0;
    for (std::size_t row = 0; row < input_.rows; ++row) {
      cells_of_[row] = sum;
      for (auto& counts : places) sum += std::exchange(counts[row], sum);
    }
    cells_of_[input_.rows] = sum;
    for_each_in_parallel(parts_, [&](std::size_t part) {
      auto* next = places[part].data();
      auto* cells = cells_.data();
      incidences(part, [&](std::uint32_t cell, std::size_t row) { cells[next[row]++] = cell; });
    });
  }

  /// The columns of one row, appended; `seen` says by column which row had it last.
  void gather_row(std::size_t row, std::vector<std::int32_t>& seen,
                  std::vector<std::int32_t>& columns) const {
    const std::size_t begin = columns.size();
    const auto mark = static_cast<std::int32_t>(row);
    const auto add = [&](std::int32_t column) {
      auto& last = seen[static_cast<std::size_t>(column)];
      if (last == mark) return;
      last = mark;
      columns.push_back(column);
    };
    if (input_.diagonal) add(mark);
    for (std::uint32_t i = cells_of_[row]; i < cells_of_[row + 1]; ++i) {
      const std::size_t p = pair_of(cells_[i]);
      const PatternPair& pair = input_.pairs[p];
      for (std::size_t c = 0; c < pair.columns.arity; ++c)
        add(target(pair.columns, pair.column_offsets, pair.layers, cells_[i] - first_[p], c));
    }
    std::sort(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end());
  }

  void gather() {
    const std::size_t tasks = (input_.rows + rows_a_task - 1) / rows_a_task;
    columns_.resize(tasks);
    lengths_.resize(input_.rows);
    tbb::enumerable_thread_specific<std::vector<std::int32_t>> seen(
        [&] { return std::vector<std::int32_t>(input_.columns, -1); });
    for_each_in_parallel(tasks, [&](std::size_t task) {
      auto& marks = seen.local();
      auto& columns = columns_[task];
      const std::size_t end = std::min(input_.rows, (task + 1) * rows_a_task);
      for (std::size_t row = task * rows_a_task; row < end; ++row) {
        const std::size_t before = columns.size();
        gather_row(row, marks, columns);
        lengths_[row] = static_cast<std::int32_t>(columns.size() - before);
      }
    });
  }

  PlanPtr finish() {
    std::vector<std::size_t> begins{0};
    for (const auto& columns : columns_) begins.push_back(begins.back() + columns.size());
    if (begins.back() > std::numeric_limits<std::int32_t>::max())
      throw Error(Errc::unsupported,
                  fmt::format("sparsity: {} blocks, expected fewer than 2^31", begins.back()));
    const PlanDraft::Array arrays[] = {{"rowptr", (input_.rows + 1) * 4},
                                       {"colidx", begins.back() * 4}};
    PlanDraft draft(arrays);
    const auto rowptr = draft.array<std::int32_t>(0), colidx = draft.array<std::int32_t>(1);
    rowptr[0] = 0;
    for (std::size_t row = 0; row < input_.rows; ++row)
      rowptr[row + 1] = rowptr[row] + lengths_[row];
    for_each_in_parallel(columns_.size(), [&](std::size_t task) {
      std::ranges::copy(columns_[task], colidx.begin() + static_cast<std::ptrdiff_t>(begins[task]));
      columns_[task] = {};
    });
    return draft.finish();
  }

  const PatternInput& input_;
  std::vector<std::size_t> first_{0};  ///< cell of each pair
  std::size_t parts_ = 1;
  std::vector<std::uint32_t> cells_;                ///< by row
  std::vector<std::uint32_t> cells_of_;             ///< where a row's begin
  std::vector<std::vector<std::int32_t>> columns_;  ///< of each task's rows
  std::vector<std::int32_t> lengths_;
};

}  // namespace

PlanPtr build_pattern(const PatternInput& input) {
  // As for plans: a thread that waits here must not take up a task that waits for this.
  return tbb::this_task_arena::isolate([&] { return PatternBuild(input).run(); });
}

void check_pattern(const Plan& plan, std::size_t rows, std::size_t columns) {
  const auto rowptr = plan.array<std::int32_t>("rowptr"),
             colidx = plan.array<std::int32_t>("colidx");
  const auto most = static_cast<std::uint32_t>(columns);
  const bool holds = rowptr.size() == rows + 1 && rowptr[0] == 0 &&
                     std::ranges::is_sorted(rowptr) &&
                     static_cast<std::size_t>(rowptr.back()) == colidx.size();
  std::uint32_t greatest = 0;  // negative ones are too large, too
  for (const auto column : colidx)
    greatest = std::max(greatest, static_cast<std::uint32_t>(column));
  if (!holds || (!colidx.empty() && greatest >= most))
    throw Error(Errc::corrupt, "sparsity: a plan that is none");
}

namespace {

void write_map(CanonicalWriter& out, const char* tag, const MapView& map,
               std::span<const std::int32_t> offsets, const PatternPair& pair, MapDigests& digests,
               MapDigests::Kind kind) {
  std::vector<std::uint32_t> all(map.arity);
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<std::uint32_t>(c);
  out.begin(tag)
      .integer("arity", static_cast<std::int64_t>(map.arity))
      .digest("values", digests.of_columns(map, all, pair.elements, kind));
  if (pair.layers > 1)
    for (const auto offset : offsets) out.integer("offset", offset);
  out.end();
}

}  // namespace

Bytes pattern_canonical(const PatternInput& input, MapDigests& digests, MapDigests::Kind kind) {
  std::vector<Bytes> pairs;
  for (const auto& pair : input.pairs) {
    CanonicalWriter out("mesh sparsity pair", 1);
    out.integer("elements", static_cast<std::int64_t>(pair.elements))
        .integer("layers", static_cast<std::int64_t>(pair.layers));
    write_map(out, "rows", pair.rows, pair.row_offsets, pair, digests, kind);
    write_map(out, "columns", pair.columns, pair.column_offsets, pair, digests, kind);
    pairs.push_back(out.view());
  }
  // The entries are those of the union: its parts have no order.
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  CanonicalWriter out("mesh sparsity", 1);
  out.integer("digests", static_cast<std::int64_t>(kind))
      .integer("rows", static_cast<std::int64_t>(input.rows))
      .integer("columns", static_cast<std::int64_t>(input.columns))
      .integer("diagonal", input.diagonal);
  for (const auto& pair : pairs) out.bytes("pair", pair);
  return out.view();
}

}  // namespace kiln::mesh
