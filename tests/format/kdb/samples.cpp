#include "format/kdb/samples.hpp"

#include <algorithm>
#include <bit>

#include "format/kdb/catalogue.hpp"

namespace kiln::kdb::testing {
namespace {

Record record(Dimensions group, Dimensions item, std::array<std::uint32_t, 2> size,
              std::uint32_t dimensions, double time) {
  Record made;
  made.levels = {group, item, {}};
  made.granularity = {size, dimensions, 64, {}, 4096};
  made.time = time;
  return made;
}

}  // namespace

Record tuned_block_2d() {
  return record({16, 64, 16, 64, 2}, {2, 8, 2, 8, 2}, {8, 8}, 2,
                std::bit_cast<double>(0x3ff1d791819d2391));
}
Record tuned_block() { return record({32, 128, 32, 10000, 2}, {8, 8, 8, 8, 2}, {64, 1}, 1, 2.5); }
Record tuned_subgroup_2d() { return record({8, 32, 8, 32, 8}, {4, 4, 4, 4, 2}, {4, 16}, 2, 0.75); }
Record tuned_subgroup() { return record({8, 32, 8, 32, 16}, {4, 4, 4, 4, 4}, {64, 1}, 1, 0.5); }
Record tuned_vector() { return record({1, 32, 1, 32, 32}, {1, 4, 1, 4, 4}, {64, 1}, 1, 0.25); }

Database small(Layout layout) {
  Database database{.layout = layout};
  Record first = tuned_block_2d(), second = first;
  second.levels[2] = {1, 2, 3, 4, 5};
  second.time = 0.5;
  if (layout == Layout::v3) {
    second.sizes = {69211, 0, 0};
    second.duplicate = {69211, 7, 0};
    second.granularity.spawned = {3, 4};
  } else {
    first.granularity.max_work_group = second.granularity.max_work_group = 0;
  }
  Pattern gemm{.name = block_gemm};
  gemm.settings = {{0, 0x10, {first, Record{}, second}}, {3, 0x13, {Record{}}}};
  Pattern unknown{.name = "A pattern of tomorrow"};
  unknown.terminated = layout == Layout::v3;
  unknown.settings = {{7, 0x40000080, {first}}};
  database.patterns = {gemm, unknown};
  if (layout == Layout::v3) return database;
  const auto placed = place_kernels(database, {{0, 0, 0, 0, as_bytes("one kernel")},
                                               {0, 0, 2, 1, as_bytes("another")},
                                               {0, 0, 2, 2, as_bytes("x")}});
  EXPECT_TRUE(placed);
  return database;
}

Bytes bytes_of(const Database& database) {
  auto bytes = write(database);
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes.value_or(Bytes{});
}

Database all_tuned() {
  Database database = complete({}).database;
  double time = 1;
  for (Pattern& pattern : database.patterns)
    for (Setting& setting : pattern.settings)
      for (Record& record : setting.records) {
        switch (find_pattern(pattern.name)->scheme) {
          case Scheme::vector:
            record = tuned_vector();
            break;
          case Scheme::block:
            record = tuned_block();
            break;
          case Scheme::subgroup:
            record = tuned_subgroup();
            break;
          case Scheme::subgroup_2d:
            record = tuned_subgroup_2d();
            break;
          default:
            record = tuned_block_2d();
        }
        // The tiles of wide types take more registers, so they are smaller.
        const bool flat = record.granularity.dimensions == 1;
        if (setting.type > 0 && flat && record.levels[1].x == 8) {
          record.levels[0] = {32, 32, 32, 10000, 2};
          record.levels[1] = {4, 4, 4, 4, 2};
        }
        if (setting.type == 3 && record.levels[0].bwidth == 2) {
          record.levels[0] = {16, 32, 16, 32, 2};
          record.levels[1] = {2, 4, 2, 4, 2};
        }
        record.time = time;
        time += 0.0009765625;
      }
  return database;
}

Setting& setting_in(Database& database, std::string_view pattern, std::uint32_t type,
                    std::uint32_t flags) {
  for (Pattern& candidate : database.patterns)
    if (candidate.name == pattern)
      for (Setting& setting : candidate.settings)
        if (setting.type == type && setting.flags == flags) return setting;
  ADD_FAILURE() << pattern << " has no such setting";
  static Setting none;
  return none = {};
}

}  // namespace kiln::kdb::testing
