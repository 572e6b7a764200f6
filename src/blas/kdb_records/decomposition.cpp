#include "blas/kdb_records/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/data/text.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "format/kdb/catalogue.hpp"

namespace kiln::blas {
namespace {

bool by_columns(const ProblemClass& problem) {
  static const std::uint32_t flag = *kdb::flag_named("COLUMN_MAJOR", kdb::Layout::v3);
  return (problem.flags & flag) != 0;
}

std::int64_t extent(std::uint64_t item, std::uint64_t step) {
  return static_cast<std::int64_t>(item >= kdb::unused_v3 ? step : item);
}

/// The numbers of a record with their names, in one order for both ways.
template <class Record, class Function>
void for_each_number(Record& record, const Function& function) {
  for (int level = 0; level < 3; ++level) {
    auto& d = record.levels[static_cast<std::size_t>(level)];
    function(fmt::format("x{}", level), d.x);
    function(fmt::format("y{}", level), d.y);
    function(fmt::format("item_x{}", level), d.item_x);
    function(fmt::format("item_y{}", level), d.item_y);
    function(fmt::format("bwidth{}", level), d.bwidth);
  }
  auto& group = record.granularity;
  function("work_group0", group.work_group[0]);
  function("work_group1", group.work_group[1]);
  function("dimensions", group.dimensions);
  function("wavefront", group.wavefront);
  function("max_work_group", group.max_work_group);
}

}  // namespace

std::optional<Routine> routine_of_function(std::string_view function) {
  return routine_named(lower(function));
}

Request request_of(const ProblemClass& problem) {
  Request request;
  if (problem.routine >= Routine::gemm) {
    request.family = GemmGenerator().family();
    request.version = GemmGenerator().version();
  } else {
    request.family = "clblas." + std::string(name_of(problem.routine));
  }
  request.problem_class = text_of(problem);
  request.label = request.problem_class;
  return request;
}

Parameters product_parameters(const kdb::Record& record, const ProblemClass& problem,
                              const Parameters& defaults, bool on_cpu) {
  const kdb::Dimensions& tile = record.levels[on_cpu ? 1 : 0];
  std::int64_t rows = extent(tile.item_y, tile.y), columns = extent(tile.item_x, tile.x);
  if (!by_columns(problem)) std::swap(rows, columns);
  Parameters parameters = defaults;
  parameters.set("rows", rows);
  parameters.set("columns", columns);
  if (!on_cpu) parameters.set("depth", static_cast<std::int64_t>(tile.bwidth));
  return parameters;
}

std::string_view tile_pattern(Routine routine) {
  switch (routine) {
    case Routine::gemm:
      return "Cached global memory based block gemm";
    case Routine::trmm:
      return "Cached global memory based trmm";
    case Routine::syrk:
      return "Cached global memory based block syrk";
    case Routine::syr2k:
      return "Cached global memory based block syr2k";
    default:
      return "";
  }
}

std::optional<kdb::Record> block_decomposition(const Parameters& parameters,
                                               const ProblemClass& problem, std::size_t threads,
                                               const kdb::DeviceLimits& device) {
  std::int64_t down = parameters.get("rows", 0), across = parameters.get("columns", 0);
  const std::int64_t depth = parameters.get("depth", 0);
  if (!by_columns(problem)) std::swap(down, across);
  const auto items = static_cast<std::int64_t>(threads);
  if (down <= 0 || across <= 0 || depth <= 0) return {};
  const auto* pattern = kdb::find_pattern(tile_pattern(problem.routine));
  if (pattern == nullptr) return {};
  // Where the result is a triangle or is overwritten, a group has 64 items in one line: then an
  // item's share stays what it is, and the group's is that of 8 x 8 of them.
  const bool is_flat = problem.routine != Routine::gemm;
  constexpr std::int64_t flat_side = 8;
  if (down * across % items != 0) return {};
  const std::int64_t share = down * across / items;
  // The squarest share of an item that its rules allow.
  std::optional<kdb::Record> best;
  std::int64_t best_difference = 0;
  for (std::int64_t x = 1; x <= 8; ++x) {
    if (share % x != 0 || (!is_flat && (across % x != 0 || items % (across / x) != 0))) continue;
    const std::int64_t y = share / x, items_across = is_flat ? flat_side : across / x,
                       items_down = is_flat ? flat_side : items / items_across;
    if (best && std::abs(x - y) >= best_difference) continue;
    const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto part = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    kdb::Record record;
    record.levels[0] = {u(x * items_across), u(y * items_down), u(x * items_across),
                        u(y * items_down), u(depth)};
    record.levels[1] = {u(x), u(y), u(x), u(y), u(depth)};
    record.granularity.work_group = {part(items_down), part(items_across)};
    if (kdb::x_is_first(problem.flags))
      std::swap(record.granularity.work_group[0], record.granularity.work_group[1]);
    record.granularity.dimensions = 2;
    if (is_flat) {
      record.granularity.work_group = {part(items_down * items_across), 1};
      record.granularity.dimensions = 1;
    }
    record.granularity.wavefront = 64;
    record.granularity.max_work_group = static_cast<std::uint32_t>(device.max_work_group);
    record.time = 1;
    std::vector<kdb::Breach> breaches;
    kdb::check_record(record, pattern, {problem.type, problem.flags}, kdb::Layout::v3, device,
                      breaches);
    if (!breaches.empty()) continue;
    best = record;
    best_difference = std::abs(x - y);
  }
  return best;
}

Parameters to_parameters(const PlacedRecord& placed) {
  Parameters parameters{{"pattern", static_cast<std::int64_t>(placed.pattern)},
                        {"record", static_cast<std::int64_t>(placed.index)}};
  for_each_number(placed.record, [&](const std::string& name, auto value) {
    parameters.set(name, static_cast<std::int64_t>(value));
  });
  return parameters;
}

std::optional<PlacedRecord> placed_record(const Parameters& parameters) {
  PlacedRecord placed;
  bool whole = true;
  const auto get = [&](const std::string& name) {
    const std::int64_t value = parameters.get(name, -1);
    whole = whole && value >= 0;
    return static_cast<std::uint64_t>(value);
  };
  placed.pattern = get("pattern");
  placed.index = get("record");
  for_each_number(placed.record, [&](const std::string& name, auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(get(name));
  });
  whole = whole && placed.pattern < kdb::known_patterns().size() && placed.index < kdb_record_count;
  return whole ? std::optional(placed) : std::nullopt;
}

std::array<std::int64_t, kdb_record_count> kdb_record_sizes(const Device& device,
                                                            std::uint32_t type, bool level_2) {
  constexpr double widths[] = {4, 2.8, 2.8, 2};  // by type
  constexpr std::array<double, kdb_record_count> steps_2{192, 448, 832, 1312, 1696, 768},
      steps_3{7, 13, 32, 48, 64, 64};
  constexpr std::int64_t bank = 2048;  // bytes
  const auto element = static_cast<std::int64_t>(size_of(precision_of_kdb_type(type)));
  const std::int64_t grain = std::max<std::int64_t>(256 * 4 / element, 1);
  const double units = level_2 ? 1 : std::min<double>(device.compute_units, 24);
  const double memory =
      static_cast<double>(std::min<cl_ulong>(device.max_allocation, device.global_memory / 3));
  const double most = std::sqrt(memory / static_cast<double>(element));
  std::array<std::int64_t, kdb_record_count> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double wanted = units * widths[type % 4] * (level_2 ? steps_2 : steps_3)[i];
    std::int64_t size = static_cast<std::int64_t>(std::min(wanted, most)) / grain * grain;
    size = std::max(size, grain);
    const bool aligned = size * element % bank == 0;
    if (i < kdb_sized_records && aligned) size += grain;
    if (i >= kdb_sized_records) size = (size * element + bank - 1) / bank * bank / element;
    sizes[i] = size;
  }
  return sizes;
}

}  // namespace kiln::blas
