#include "kernel/request/shipped_file.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "base/os/file.hpp"
#include "test_paths.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Measurement shipped_measurement(std::int64_t unroll, std::int64_t size, double gain) {
  return {{{"unroll", unroll}}, size, 2, Measurement::Of::kiln, "a search", {}, 2 * gain};
}

ShippedFile shipped_example() {
  return {{"CPU", "a vendor", 2, 16, 1 << 20, "a model", "an architecture"},
          "by hand",
          {{"test.scale", -7, "small", {{shipped_measurement(4, 100, 1.25)}}},
           {"test.scale",
            1,
            "large",
            {{shipped_measurement(1, 10, 1.5), shipped_measurement(2, 20, 1)}}}}};
}

TEST(ShippedFile, of_several_versions_the_latest_record_is_shipped) {
  const auto stored = [](std::int64_t version, std::int64_t created, std::int64_t unroll) {
    return StoredRecord{{},
                        {"test.scale", version, "small", "a device"},
                        {{shipped_measurement(unroll, 100, 1.25)}},
                        created};
  };
  const auto ship = records_to_ship({stored(1, 300, 4), stored(2, 200, 8), stored(3, 100, 2)});
  ASSERT_EQ(ship.size(), 1u);
  EXPECT_EQ(ship[0].version, 1);
  EXPECT_EQ(ship[0].record.history.at(0).parameters.at("unroll"), 4);
}

std::string refused(const std::string& text) {
  const auto file = read_shipped_file(text, "x.jsonl");
  EXPECT_FALSE(file.has_value()) << text;
  if (file) return "";
  const std::string message(file.error().message());
  EXPECT_EQ(message.find('\n'), message.npos);
  EXPECT_THAT(message, StartsWith("x.jsonl: "));
  return message;
}

/// The example with a part of it replaced.
std::string shipped_with(const std::string& part, const std::string& by) {
  std::string text = text_of(shipped_example());
  const auto at = text.find(part);
  EXPECT_NE(at, text.npos) << part;
  return text.replace(at, part.size(), by);
}

TEST(ShippedFile, comes_back_as_it_was_written) {
  const auto text = text_of(shipped_example());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << "a line for the device and a record";
  const auto again = read_shipped_file(text, "x").value();
  EXPECT_EQ(again.device, shipped_example().device);
  EXPECT_EQ(again.made, "by hand");
  ASSERT_EQ(again.records.size(), 2u);
  EXPECT_EQ(again.records[0].version, -7);
  EXPECT_EQ(again.records[1].record.history, shipped_example().records[1].record.history);
  EXPECT_EQ(text_of(again), text);
  EXPECT_EQ(read_shipped_device(text, "x").value(), shipped_example().device);
}

TEST(ShippedFile, tells_of_what_device_it_is_though_the_rest_is_bad) {
  const auto text = shipped_with("\"small\"", "7");
  EXPECT_EQ(read_shipped_device(text, "x").value(), shipped_example().device);
  EXPECT_THAT(refused(text), HasSubstr("line 2: problem_class: found '7'"));
}

TEST(ShippedFile, says_in_one_line_what_is_wrong) {
  EXPECT_THAT(refused(""), HasSubstr("empty"));
  EXPECT_THAT(refused("\n"), HasSubstr("line 1: no JSON"));
  EXPECT_THAT(refused("[]"), HasSubstr("line 1: no JSON, expected an object"));
  EXPECT_THAT(refused("{}"), HasSubstr("line 1: kiln shipped records: found nothing"));
  EXPECT_THAT(refused(shipped_with("records\":1", "records\":2")), HasSubstr("expected version 1"));
  EXPECT_THAT(refused(shipped_with("\"CPU\"", "\"cpu\"")), HasSubstr("type: found '\"cpu\"'"));
  EXPECT_THAT(refused(shipped_with("\"a model\"", "\"\"")), HasSubstr("model"));
  EXPECT_THAT(refused(shipped_with("\"units\":2", "\"units\":-2")), HasSubstr("units"));
  EXPECT_THAT(refused(shipped_with("\"by hand\"", "null")), HasSubstr("line 1: made"));
  EXPECT_THAT(refused(shipped_with("\"-7\"", "-7")), HasSubstr("line 2: version"));
  EXPECT_THAT(refused(shipped_with("\"small\"", "\"large\"")),
              HasSubstr("line 3: test.scale large stands twice"));
  EXPECT_THAT(refused(shipped_with("\"kernels\":\"kiln\"", "\"kernels\":\"others\"")),
              HasSubstr("line 2: measured"));
  EXPECT_THAT(refused(shipped_with(",\"built_in_milliseconds\":2.5", "")),
              HasSubstr("the time of the built-in parameters"));
  EXPECT_THAT(refused(shipped_with("\"unroll\":4", "\"unroll\":4.5")),
              HasSubstr("line 2: measurement 1: unroll"));
  EXPECT_THAT(refused(std::string(1000, '[')), HasSubstr("line 1: "));
}

RC_GTEST_PROP(ShippedFileBytes, no_change_of_a_byte_does_more_than_to_be_refused, ()) {
  std::string text = text_of(shipped_example());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  if (const auto file = read_shipped_file(text, "x"))
    for (const auto& one : file->records) RC_ASSERT(!one.record.history.empty());
}

TEST(RecordsToShip, are_those_in_use_that_were_compared_with_the_built_in) {
  const auto stored = [](const std::string& family, const std::string& problem_class,
                         std::vector<Measurement> measured) {
    return StoredRecord{{}, {family, 5, problem_class, "p|d"}, {std::move(measured)}, 86400};
  };
  Measurement untimed = shipped_measurement(8, 100, 0);
  untimed.standard_milliseconds = 0;
  Measurement others = shipped_measurement(8, 100, 3);
  others.of = Measurement::Of::others;
  const auto shipped =
      records_to_ship({stored("f", "fast",
                              {shipped_measurement(1, 100, 1.1), shipped_measurement(2, 100, 1.3),
                               untimed, others, shipped_measurement(3, 400, 1)}),
                       stored("f", "slow", {shipped_measurement(1, 100, 1.01)}),
                       stored("spec", "a file", {shipped_measurement(1, 100, 2)})});
  ASSERT_EQ(shipped.size(), 2u);
  EXPECT_EQ(shipped[1].problem_class, "slow") << "it keeps records of other devices away";
  EXPECT_EQ(shipped[0].problem_class, "fast");
  EXPECT_EQ(shipped[0].version, 5);
  ASSERT_EQ(shipped[0].record.history.size(), 2u);
  EXPECT_EQ(shipped[0].record.history[0].parameters.get("unroll", 0), 2);
  EXPECT_EQ(shipped[0].record.history[0].from, "a search, 1970-01-02");
  EXPECT_EQ(shipped[0].record.history[1].size, 400);
}

TEST(ShippedFiles, that_come_with_kiln_are_whole_and_say_how_they_were_found) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KILN_SOURCE_DIR "/share/tuned")) {
    if (entry.path().extension() != ".jsonl") continue;
    ++count;
    const auto text = value_or_throw(read_text(entry.path()));
    const auto file = read_shipped_file(text, entry.path().string());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(text, text_of(*file)) << entry.path() << " is not as Kiln writes it";
    EXPECT_FALSE(file->made.empty());
    for (const auto& record : file->records)
      for (const auto& one : record.record.history) {
        EXPECT_THAT(one.from, HasSubstr("kiln tune")) << entry.path();
        EXPECT_THAT(one.from, HasSubstr("20")) << "the day";
        EXPECT_GT(one.size, 0);
      }
  }
  EXPECT_GE(count, 2);
}

}  // namespace
}  // namespace kiln
