#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

std::uint32_t number() { return *rc::gen::arbitrary<std::uint32_t>(); }
std::uint64_t large() { return *rc::gen::arbitrary<std::uint64_t>(); }
std::size_t below(int end) { return static_cast<std::size_t>(*rc::gen::inRange(0, end)); }

Record random_record(Layout layout) {
  if (*rc::gen::inRange(0, 3) == 0) return {};
  Record record;
  for (Dimensions& level : record.levels)
    for (auto* size : {&level.x, &level.y, &level.item_x, &level.item_y, &level.bwidth})
      *size = layout == Layout::v3 ? number() : large();
  record.granularity.work_group = {number(), number()};
  record.granularity.dimensions = number();
  record.granularity.wavefront = number();
  if (layout == Layout::v3) {
    record.granularity.spawned = {number(), number()};
    record.granularity.max_work_group = number();
    record.sizes = {number(), number(), number()};
    record.duplicate = {number(), number(), number()};
    record.offsets = {number(), number(), number()};
  }
  record.time = std::bit_cast<double>(large());  // any bits, NaN and infinities too
  return record;
}

/// A name without NUL.
std::string random_name() {
  auto name = *rc::gen::arbitrary<std::string>();
  std::erase(name, '\0');
  return name;
}

/// A random model that its layout can hold; `texts` keeps kernel contents.
Database random_database(Layout layout) {
  Database database{.layout = layout, .functions = number()};
  if (layout == Layout::v3) database.binary_start = large();
  const std::size_t patterns = below(4);
  std::vector<KernelSlot> slots;
  std::vector<std::string> contents;
  contents.reserve(1000);
  for (std::size_t p = 0; p < patterns; ++p) {
    Pattern pattern{.name = random_name(),
                    .terminated = layout == Layout::v3 || *rc::gen::arbitrary<bool>()};
    const std::size_t settings = below(4);
    for (std::size_t s = 0; s < settings; ++s) {
      Setting setting{number(), number()};
      const std::size_t records = below(4);
      for (std::size_t r = 0; r < records; ++r) {
        setting.records.push_back(random_record(layout));
        if (layout != Layout::v3 && *rc::gen::arbitrary<bool>()) {
          contents.push_back("k" + *rc::gen::arbitrary<std::string>());
          slots.push_back({p, s, r, below(3), as_bytes(contents.back())});
        }
      }
      pattern.settings.push_back(std::move(setting));
    }
    database.patterns.push_back(std::move(pattern));
  }
  if (layout != Layout::v3) RC_ASSERT(place_kernels(database, slots).has_value());
  return database;
}

Layout random_layout() { return *rc::gen::element(Layout::v3, Layout::v1, Layout::v1_wide); }

RC_GTEST_PROP(KdbRandom, a_model_survives_writing_and_reading, ()) {
  const Database database = random_database(random_layout());
  const auto bytes = write(database);
  if (!bytes) RC_FAIL(bytes.error().message());
  auto read = parse(*bytes);
  if (!read) RC_FAIL(read.error().message());
  // Without a record nothing tells the readings of version 1 apart.
  read->layout = database.layout;
  RC_ASSERT(*read == database);
  RC_ASSERT(*write(*read) == *bytes);
}

RC_GTEST_PROP(KdbRandom, json_gives_the_same_bytes, ()) {
  const Database database = random_database(random_layout());
  const auto read = from_json(to_json(database));
  if (!read) RC_FAIL(read.error().message());
  RC_ASSERT(*write(*read) == *write(database));
}

RC_GTEST_PROP(KdbRandom, a_database_does_not_differ_from_itself_nor_from_a_merge_with_itself, ()) {
  const Database database = random_database(random_layout());
  RC_ASSERT(diff(database, database).empty());
  const Database twice[] = {database, database};
  const auto merged = merge(twice, Prefer::faster);
  RC_ASSERT(merged.has_value());
  // Random names and settings are there twice at times; a merge then holds one of them.
  const auto again = merge(std::vector{merged->database, database}, Prefer::first);
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->database.patterns == merged->database.patterns);
}

RC_GTEST_PROP(KdbRandom, the_readings_of_version_1_convert_without_a_loss, ()) {
  const Database database = random_database(Layout::v1);
  const auto wide = convert(database, Layout::v1_wide);
  RC_ASSERT(wide.has_value());
  RC_ASSERT(wide->losses.empty());
  const auto back = convert(wide->database, Layout::v1);
  RC_ASSERT(back.has_value());
  RC_ASSERT(diff(back->database, database).empty());
}

RC_GTEST_PROP(KdbRandom, conversion_and_verification_take_any_model, ()) {
  const Database database = random_database(random_layout());
  for (const Layout to : {Layout::v3, Layout::v1, Layout::v1_wide}) {
    const auto converted = convert(database, to);
    RC_ASSERT(converted.has_value());
    RC_ASSERT(write(converted->database).has_value());
  }
  for (const Finding& finding : verify(database, {256})) RC_ASSERT(!finding.text.empty());
  RC_ASSERT(write(complete(*&database).database).has_value() || database.layout != Layout::v3);
}

}  // namespace
}  // namespace kiln::kdb::testing
