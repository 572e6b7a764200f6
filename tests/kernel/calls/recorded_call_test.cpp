// The lines of a record of calls: written, read, added up, refused.
#include "kernel/calls/recorded_call.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "base/os/file.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;

RecordedCall product(std::int64_t n) {
  RecordedCall call;
  call.kind = "blas";
  call.name = "sgemm";
  call.facts = {{"routine", std::string("gemm")}, {"n", n}};
  call.devices = {{"a device", "0123456789abcdef", 8}};
  call.flops = 2.0 * static_cast<double>(n * n * n);
  call.bytes = 16.0 * static_cast<double>(n * n);
  call.count = 1;
  return call;
}

std::string line(const RecordedCall& call) { return recorded_line(identity_line(call), call); }

RecordedCalls read(const std::string& text) { return value_or_throw(parse_calls(text, "c.jsonl")); }

std::string refusal(const std::string& text) {
  const auto calls = parse_calls(text, "c.jsonl");
  EXPECT_FALSE(calls.has_value());
  if (calls) return "";
  EXPECT_EQ(calls.error().code(), Errc::bad_input);
  EXPECT_EQ(calls.error().message().find('\n'), std::string::npos) << calls.error().message();
  return calls.error().message();
}

/// A line in which a text is replaced by another.
std::string changed(const std::string& what, const std::string& by) {
  std::string text = line(product(8));
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(RecordedCall, comes_back_from_its_line) {
  RecordedCall call = product(64);
  call.name = "odd \"name\"\n\x01";
  call.facts.push_back({"set a b", std::string("'x'=\\1")});
  call.facts.push_back({"negative", std::int64_t{-3}});
  call.count = 7, call.host_ns = 70, call.prepare_ns = 5, call.timed = 2, call.device_ns = 30;
  const auto back = read(line(call));
  ASSERT_EQ(back.calls.size(), 1u);
  const RecordedCall& found = back.calls[0];
  EXPECT_EQ(identity_line(found), identity_line(call));
  EXPECT_EQ(found.name, call.name);
  EXPECT_EQ(found.facts, call.facts);
  EXPECT_EQ(found.devices, call.devices);
  EXPECT_EQ(found.count, 7u);
  EXPECT_EQ(found.host_ns, 70u);
  EXPECT_EQ(found.prepare_ns, 5u);
  EXPECT_EQ(found.timed, 2u);
  EXPECT_EQ(found.device_ns, 30u);
}

TEST(RecordedCall, is_one_line_of_utf8_whatever_the_names) {
  RecordedCall call = product(8);
  call.devices[0].name = "\xff\n";
  const std::string text = line(call);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(read(text).calls[0].devices[0].name, "\xef\xbf\xbd\n");
}

TEST(RecordedCalls, equal_ones_are_added_up) {
  RecordedCall once = product(8), often = product(8), other = product(9);
  once.host_ns = 10, often.count = 4, often.host_ns = 30, often.timed = 1, often.device_ns = 5;
  const auto calls = read(line(once) + line(other) + line(often));
  ASSERT_EQ(calls.calls.size(), 2u);
  EXPECT_EQ(calls.calls[0].count, 5u);
  EXPECT_EQ(calls.calls[0].host_ns, 40u);
  EXPECT_EQ(calls.calls[0].timed, 1u);
}

TEST(RecordedCalls, sums_do_not_wrap) {
  RecordedCall call = product(8);
  call.device_ns = 1ull << 53;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += line(call);
  EXPECT_EQ(read(text).calls[0].device_ns, std::numeric_limits<std::uint64_t>::max());
}

TEST(RecordedCalls, on_other_devices_are_others) {
  RecordedCall half = product(8);
  half.devices[0].units = 4;
  EXPECT_EQ(read(line(product(8)) + line(half)).calls.size(), 2u);
}

TEST(RecordedCalls, come_by_their_share_of_the_time) {
  RecordedCall small = product(10), large = product(100);
  small.count = 50;
  const auto calls = read(line(small) + line(large)).calls;
  EXPECT_EQ(calls[0].facts, product(100).facts);
  EXPECT_GT(calls[0].share, calls[1].share);
  EXPECT_DOUBLE_EQ(calls[0].share + calls[1].share, 1);
}

TEST(RecordedCalls, shares_are_of_times_where_there_are_some) {
  RecordedCall small = product(10), large = product(100);
  small.timed = 1, small.device_ns = 3000;
  large.timed = 2, large.device_ns = 2000;
  const auto calls = read(line(large) + line(small)).calls;
  EXPECT_EQ(calls[0].facts, product(10).facts);
  EXPECT_DOUBLE_EQ(calls[0].share, 0.75);
  EXPECT_DOUBLE_EQ(calls[1].estimated_ns, 1000);
}

TEST(RecordedCalls, what_was_not_timed_is_estimated_on_the_scale_of_what_was) {
  RecordedCall timed = product(100), untimed = product(200);
  timed.timed = 1, timed.device_ns = 1'000'000;
  const auto calls = read(line(timed) + line(untimed)).calls;
  // Both by their operations: eight times as many.
  EXPECT_NEAR(calls[0].estimated_ns, 8e6, 1);
  EXPECT_EQ(calls[0].facts, product(200).facts);
}

TEST(RecordedCalls, a_line_cut_short_is_left_out_and_counted) {
  const std::string whole = line(product(8));
  for (std::size_t length = 1; length + 1 < whole.size(); ++length) {
    const auto calls = read(whole.substr(0, length) + "\n" + whole);
    EXPECT_EQ(calls.lines_cut, 1u) << length;
    EXPECT_EQ(calls.calls[0].count, 1u) << length;
  }
}

TEST(RecordedCalls, empty_lines_count_for_nothing) {
  EXPECT_EQ(read("\n\n" + line(product(8)) + "\n").calls.size(), 1u);
}

TEST(RecordedCalls, what_is_none_is_refused_with_file_and_line) {
  const std::string good = line(product(8));
  EXPECT_THAT(refusal(""), HasSubstr("c.jsonl: the record has no calls"));
  EXPECT_THAT(refusal("\n"), HasSubstr("the record has no calls"));
  EXPECT_THAT(refusal("{"), HasSubstr("the record has no calls"));
  EXPECT_THAT(refusal(good + "x\n"), HasSubstr("c.jsonl:2: byte 1: not JSON"));
  EXPECT_THAT(refusal("[1]\n"), HasSubstr("c.jsonl:1: found a JSON array, expected an object"));
  EXPECT_THAT(refusal("{}\n"), HasSubstr("missing 'kiln_calls'"));
  EXPECT_THAT(refusal("{\"a\":\xff}\n"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(good + std::string(3, '\0')), HasSubstr("c.jsonl:2"));
}

TEST(RecordedCalls, wrong_fields_are_named) {
  EXPECT_THAT(refusal(changed("\"kiln_calls\":1", "\"kiln_calls\":2")),
              HasSubstr("'kiln_calls': found version 2, expected 1"));
  EXPECT_THAT(refusal(changed("\"count\":1", "\"count\":-1")), HasSubstr("'count'"));
  EXPECT_THAT(refusal(changed("\"count\":1", "\"count\":1.5")), HasSubstr("'count'"));
  EXPECT_THAT(refusal(changed("\"count\":1", "\"count\":9007199254740993")),
              HasSubstr("at most 2^53"));
  EXPECT_THAT(refusal(changed("\"count\":1", "\"number\":1")), HasSubstr("missing 'count'"));
  EXPECT_THAT(refusal(changed("\"n\":8", "\"n\":[8]")), HasSubstr("'facts': 'n': found a JSON"));
  EXPECT_THAT(refusal(changed("\"n\":8", "\"n\":18446744073709551615")), HasSubstr("'n'"));
  EXPECT_THAT(refusal(changed("\"flops\":1024.0", "\"flops\":-1")), HasSubstr("'flops'"));
  EXPECT_THAT(refusal(changed("\"units\":8", "\"units\":\"8\"")), HasSubstr("'units'"));
  EXPECT_THAT(refusal(changed("\"kind\":\"blas\"", "\"kind\":null")), HasSubstr("'kind'"));
}

TEST(RecordedCalls, deep_nesting_costs_no_stack) {
  EXPECT_THAT(refusal("{\"kiln_calls\":1,\"kind\":" + std::string(1'000'000, '[') + "x"),
              HasSubstr("levels of nested values"));
}

RC_GTEST_PROP(RecordedCalls, a_damaged_record_is_read_or_refused_in_one_line, ()) {
  std::string text = line(product(8)) + line(product(9)) + line(product(10));
  const auto changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i)
    text[*rc::gen::inRange<std::size_t>(0, text.size())] =
        static_cast<char>(*rc::gen::inRange(0, 256));
  const auto calls = parse_calls(text, "c.jsonl");
  if (calls) {
    RC_ASSERT(calls->calls.size() <= 3u);
  } else {
    RC_ASSERT(calls.error().code() == Errc::bad_input);
    RC_ASSERT(calls.error().message().find('\n') == std::string::npos);
  }
}

TEST(RecordedCalls, a_file_that_is_absent_is_not_found) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-calls"));
  const auto calls = read_calls(folder.path() / "none.jsonl");
  ASSERT_FALSE(calls.has_value());
  EXPECT_EQ(calls.error().code(), Errc::not_found);
  EXPECT_FALSE(read_calls(folder.path()).has_value());
}

}  // namespace
}  // namespace kiln
