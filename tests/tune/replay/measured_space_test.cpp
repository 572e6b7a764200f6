#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include "../support.hpp"
#include "base/os/file.hpp"
#include "test_paths.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

const std::string kCache = R"({"device_name": "a device", "kernel_name": "k", "objective": "time",
 "tune_params_keys": ["X", "MODE", "F"],
 "tune_params": {"X": [16, 8, 32], "MODE": ["row", "col"], "F": [0.5]},
 "cache": {
  "8,row,0.5": {"X": 8, "MODE": "row", "F": 0.5, "time": 2.5, "times": [2.4, 2.6], "GFLOP/s": 1},
  "16,row,0.5": {"X": 16, "MODE": "row", "F": 0.5, "time": "RuntimeFailedConfig"},
  "32,row,0.5": {"X": 32, "MODE": "row", "F": 0.5, "time": "CompilationFailedConfig"},
  "8,col,0.5": {"X": 8, "MODE": "col", "F": 0.5, "time": 1e20},
  "16,col,0.5": {"X": 16, "MODE": "col", "F": 0.5, "time": 1.25}}})";

const std::string kT4 = R"({"schema_version": "1.0.0", "results": [
  {"configuration": {"X": 16, "Y": "b"}, "invalidity": "correct", "objectives": ["time"],
   "times": {"runtimes": [1]},
   "measurements": [{"name": "power", "value": 90, "unit": "W"},
                    {"name": "time", "value": 3.5, "unit": "ms"}]},
  {"configuration": {"X": 8, "Y": "b"}, "invalidity": "compile", "measurements": []},
  {"configuration": {"X": 8, "Y": "a"}, "invalidity": "timeout"}]})";

Expected<MeasuredSpace> read(std::string_view text) {
  return read_measured_space(as_bytes(text), "f");
}

Bytes gzip_of(std::string_view text) {
  Bytes out(text.size() + 1000);
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

/// The cache with one piece of text replaced.
std::string changed(const std::string& text, std::string_view from, std::string_view to) {
  std::string copy = text;
  copy.replace(copy.find(from), from.size(), to);
  return copy;
}

TEST(ReadMeasuredSpace, reads_a_cache_file) {
  const auto measured = read(kCache);
  ASSERT_TRUE(measured) << message_of(measured);
  EXPECT_EQ(measured->device, "a device");
  EXPECT_EQ(measured->kernel, "k");
  EXPECT_EQ(measured->space.size(), 5u);
  EXPECT_EQ(measured->space.text(0), "X=8 MODE='row' F=0.5");
  EXPECT_EQ(measured->outcomes[0].time, 2.5);
  EXPECT_EQ(measured->outcomes[1].failure, Failure::launch);
  EXPECT_EQ(measured->outcomes[2].failure, Failure::build);
  EXPECT_EQ(measured->outcomes[3].failure, Failure::launch);
  EXPECT_EQ(measured->fastest, 1.25);
  EXPECT_EQ(measured->failures(), 3u);
}

TEST(ReadMeasuredSpace, reads_t4_results_and_sorts_their_values) {
  const auto measured = read(kT4);
  ASSERT_TRUE(measured) << message_of(measured);
  EXPECT_EQ(measured->space.text(0), "X=16 Y='b'");
  EXPECT_EQ(measured->space.parameters()[0].values[0], expr::Value(8));
  EXPECT_EQ(measured->outcomes[0].time, 3.5);
  EXPECT_EQ(measured->outcomes[1].failure, Failure::build);
  EXPECT_EQ(measured->outcomes[2].failure, Failure::timeout);
}

TEST(ReadMeasuredSpace, reads_the_same_from_a_compressed_file) {
  const auto measured = read_measured_space(gzip_of(kCache), "f");
  ASSERT_TRUE(measured) << message_of(measured);
  EXPECT_EQ(measured->space.size(), 5u);
}

TEST(ReadMeasuredSpace, says_in_one_line_where_a_file_is_wrong) {
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"\"cache\": {", "\"kash\": {", "f: found neither 'cache' nor 'results'"},
      {"\"tune_params\"", "\"params\"", "expected 'tune_params_keys' and 'tune_params' before it"},
      {"\"X\", \"MODE\"", "\"X\", \"NONE\"", "'tune_params' has no list 'NONE'"},
      {"{\"X\": 8, \"MODE\": \"row\"", "{\"X\": 9, \"MODE\": \"row\"",
       "f: configuration '8,row,0.5': 9 is no value of X"},
      {"{\"X\": 8, \"MODE\": \"row\"", "{\"MODE\": \"row\"", "configuration '8,row,0.5': no 'X'"},
      {"{\"X\": 8, \"MODE\": \"row\"", "{\"X\": [8], \"MODE\": \"row\"",
       "'X' is array, expected a number or a text"},
      {"\"time\": 2.5", "\"time\": -2.5", "its time is -2.5, expected a positive number"},
      {"\"time\": 2.5", "\"time\": 0", "its time is 0, expected a positive number"},
      {"\"time\": 2.5", "\"time\": {}", "'time' is object, expected a number or the reason"},
      {"\"time\": 2.5, ", "", "configuration '8,row,0.5': no 'time'"},
      {"\"X\": 16, \"MODE\": \"col\"", "\"X\": 8, \"MODE\": \"col\"", "stands twice"},
      {"\"time\": 2.5", "\"time\": nan", "f: byte "},
      {"[16, 8, 32]", "[16, 8, 99999999999999999999]", ""},
      {"[16, 8, 32]", "[16, 8, 18446744073709551615]", "'X' does not fit 64 bits"},
      {"1.25}}}", "1.25}}", "f: byte "},
  };
  for (const auto& [from, to, expected] : cases) {
    const std::string message = message_of(read(changed(kCache, from, to)));
    EXPECT_FALSE(message.empty()) << to;
    EXPECT_THAT(message, HasSubstr(expected)) << to;
    EXPECT_EQ(message.find('\n'), message.npos) << message;
  }
}

TEST(ReadMeasuredSpace, numbers_beyond_all_doubles_are_refused) {
  for (const std::string& text : {kCache, kT4}) {
    auto huge = text;
    huge.replace(huge.rfind(": ") + 2, 1, "1e999");
    const auto refused = read(huge);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message().find('\n'), std::string::npos);
  }
  const auto number = read(R"({"results": [{"configuration": {"X": 1e999}}]})");
  EXPECT_THAT(number.error().message(), ::testing::HasSubstr("1e999"));
}

TEST(ReadMeasuredSpace, says_what_is_wrong_with_t4_results) {
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"\"configuration\": {\"X\": 8, \"Y\": \"b\"}", "\"none\": 0",
       "configuration '2': no object 'configuration'"},
      {"{\"X\": 8, \"Y\": \"b\"}", "{\"X\": 8}", "configuration '2': no 'Y'"},
      {"{\"X\": 8, \"Y\": \"b\"}", "{\"X\": 8, \"Y\": \"b\", \"Z\": 1}", "more parameters"},
      {"\"name\": \"time\"", "\"name\": \"clock\"", "has no measurement named 'time'"},
      {"\"invalidity\": \"correct\"", "\"invalidity\": \"runtime\"",
       "none of its configurations has a time"},
  };
  for (const auto& [from, to, expected] : cases) {
    EXPECT_THAT(message_of(read(changed(kT4, from, to))), HasSubstr(expected)) << to;
  }
}

TEST(ReadMeasuredSpace, takes_nothing_that_is_empty_or_something_else) {
  for (const char* const text : {"", "[]", "3", "null", "{}", "{\"cache\": 3}", "{\"cache\": {}}",
                                 "{\"results\": []}", "\x1f\x8b", "\x1f\x8b\x08garbage"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

RC_GTEST_PROP(ReadMeasuredSpace, a_damaged_file_is_read_or_refused_in_one_line, ()) {
  const bool compressed = *rc::gen::arbitrary<bool>();
  const std::string& text = *rc::gen::arbitrary<bool>() ? kCache : kT4;
  Bytes bytes = compressed ? gzip_of(text) : Bytes();
  if (!compressed) append(bytes, std::string_view(text));
  const int flips = *rc::gen::inRange(1, 4);
  for (int i = 0; i < flips; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  }
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  const auto measured = read_measured_space(bytes, "f");
  if (measured) {
    RC_ASSERT(measured->outcomes.size() == measured->space.size());
  } else {
    RC_ASSERT(measured.error().message().find('\n') == std::string::npos);
  }
}

TEST(ReadMeasuredSpace, reads_the_published_spaces) {
  const std::filesystem::path folder = std::string(KILN_SHARED_DIR) + "/data/hub";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  const auto bytes = read_input(folder / "convolution_A4000.json.gz", 1u << 30).value();
  const auto measured = read_measured_space(bytes, "convolution_A4000");
  ASSERT_TRUE(measured) << message_of(measured);
  EXPECT_EQ(measured->space.size(), 4362u);
  EXPECT_EQ(measured->failures(), 161u);
  EXPECT_EQ(measured->device, "NVIDIA RTX A4000");
  EXPECT_NEAR(measured->fastest, 1.02117, 1e-5);
}

}  // namespace
}  // namespace kiln::tune
