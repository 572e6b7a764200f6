// Records of what applications build: their bytes, what becomes of them in a store that many
// processes write to, and Requests made of them.
#include "layer/program/usage_record.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "kernel/support.hpp"
#include "layer/program/program_request.hpp"
#include "store/local/local_store.hpp"

namespace kiln::layer {
namespace {

using kiln::testing::cpu_device;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Digest digest_of(int number) { return blake2b(as_bytes(std::to_string(number))); }

UsedProgram used(int number) {
  UsedProgram program;
  program.artifact.digest = digest_of(number);
  program.text = digest_of(number % 7);
  program.is_module = number % 2 == 0;
  program.options = "-DN=" + std::to_string(number);
  program.constants = {{3, spirv::ConstantKind::floating, 32, 0x40490fdb},
                       {7, spirv::ConstantKind::boolean, 8, 1}};
  program.fingerprint = number % 3 == 0 ? "a device" : "another device";
  program.variants = {{"run", "16-1-1-goffs0-smallgrid"}, {"run", "64-1-1-goffs0"}};
  return program;
}

UsageRecord record_of(int count) {
  UsageRecord record;
  for (int i = 0; i < count; ++i) record.push_back(used(i));
  return record;
}

TEST(UsageRecord, comes_back_from_its_bytes) {
  for (const int count : {0, 1, 36}) {
    const UsageRecord record = record_of(count);
    const auto again = decode_usage(encode(record));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, record);
  }
}

TEST(UsageRecord, grows_by_rows_and_is_compacted) {
  StoredUsage usage;
  EXPECT_TRUE(usage.add(used(1)));
  EXPECT_TRUE(usage.add(used(2)));
  EXPECT_FALSE(usage.add(used(1)));
  UsedProgram expected = used(1);
  for (int i = 0; i < 200; ++i) {
    UsedProgram more;
    more.artifact = used(1).artifact;
    more.variants = {{"run", std::to_string(i)}};
    EXPECT_TRUE(usage.add(more));
    EXPECT_FALSE(usage.add(more));
    expected.variants.merge(more.variants);
  }
  EXPECT_EQ(usage.program(used(1).artifact), expected);
  EXPECT_EQ(usage.program(used(2).artifact), used(2));
  EXPECT_TRUE(usage.is_loose());
  const StoredUsage again(usage.compact());
  EXPECT_FALSE(again.is_loose());
  EXPECT_LT(again.content().size(), usage.content().size());
  EXPECT_EQ(value_or_throw(decode_usage(again.content())), (UsageRecord{expected, used(2)}));
}

TEST(UsageRecord, variants_alone_make_no_program) {
  StoredUsage usage;
  UsedProgram more;
  more.artifact = used(1).artifact;
  more.variants = {{"run", "1-1-1-goffs0-smallgrid"}};
  EXPECT_FALSE(usage.add(more));
  EXPECT_FALSE(usage.has(more.artifact));
}

TEST(UsageRecord, leaves_rows_out_that_cannot_be_read) {
  Bytes bytes = encode(record_of(3));
  const std::size_t second = encode(record_of(1)).size();
  bytes[second + sizeof(std::uint32_t)] = std::byte{9};  // the row's kind
  EXPECT_FALSE(decode_usage(bytes));
  StoredUsage usage(bytes);
  EXPECT_EQ(usage.record(), (UsageRecord{used(0), used(2)}));
  UsedProgram more = used(5);
  EXPECT_TRUE(usage.add(more));
  EXPECT_EQ(value_or_throw(decode_usage(usage.compact())), (UsageRecord{used(0), used(2), more}));
}

TEST(UsageRecord, has_what_comes_before_damage) {
  const Bytes bytes = encode(record_of(3));
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const StoredUsage usage(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size)));
    const auto read = decode_usage(usage.content());
    ASSERT_TRUE(read) << size;
    for (const auto& program : *read) EXPECT_EQ(usage.program(program.artifact), program);
  }
}

TEST(UsageRecord, refuses_bytes_that_are_cut_or_too_many) {
  const Bytes bytes = encode(record_of(3));
  const std::size_t row = encode(record_of(1)).size(), two_rows = encode(record_of(2)).size();
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_EQ(decode_usage(ByteView(bytes).first(size)).has_value(),
              size == row || size == two_rows)
        << size;
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_usage(longer));
}

RC_GTEST_PROP(UsageRecord, is_refused_or_whole_where_a_byte_is_another, ()) {
  Bytes bytes = encode(record_of(3));
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = std::byte(*rc::gen::arbitrary<char>());
  const auto read = decode_usage(bytes);
  if (!read) return;
  RC_ASSERT(read->size() <= bytes.size());
  const auto again = decode_usage(encode(*read));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == *read);
}

TEST(UsageRecord, key_is_of_the_name_alone) {
  EXPECT_EQ(program_of_usage(canonical_of_usage("darktable-cli")), "darktable-cli");
  EXPECT_EQ(program_of_usage(canonical_of_text(digest_of(1))), std::nullopt);
  EXPECT_EQ(program_of_usage(as_bytes("no canonical bytes")), std::nullopt);
  EXPECT_NE(key_of(canonical_of_usage("a")), key_of(canonical_of_usage("b")));
}

class UsageInStore : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path().string() + "/store"; }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-usage"));
};

TEST_F(UsageInStore, adds_up_and_knows_what_is_there) {
  LocalStore store(path());
  EXPECT_THAT(used_programs(store, "app"), IsEmpty());
  value_or_throw(add_used(store, "app", {used(1), used(2)}));
  value_or_throw(add_used(store, "app", {used(2), used(3)}));
  value_or_throw(add_used(store, "other", {used(4)}));
  EXPECT_THAT(used_programs(store, "app"), ElementsAre(used(1), used(2), used(3)));
  EXPECT_THAT(used_programs(store, "other"), ElementsAre(used(4)));
  UsedProgram launched = used(2);
  launched.variants = {{"run", "128-1-1-goffs0-smallgrid"}};
  value_or_throw(add_used(store, "app", {launched}));
  const auto programs = used_programs(store, "app");
  ASSERT_THAT(programs, SizeIs(3));
  EXPECT_THAT(programs[1].variants, SizeIs(3));
}

TEST_F(UsageInStore, the_oldest_programs_go) {
  LocalStore store(path());
  value_or_throw(add_used(store, "app", record_of(static_cast<int>(most_used))));
  value_or_throw(add_used(store, "app", {used(-1), used(-2)}));
  const auto programs = used_programs(store, "app");
  ASSERT_THAT(programs, SizeIs(::testing::Le(most_used)));
  EXPECT_EQ(programs.front(), used(static_cast<int>(most_used + 2 - programs.size())));
  EXPECT_EQ(programs.back(), used(-2));
}

TEST_F(UsageInStore, no_writer_loses_what_another_one_adds) {
  constexpr int writers = 16, each = 8;
  std::vector<std::thread> threads;
  // As processes do: each has a connection of its own.
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      LocalStore store(path());
      for (int i = 0; i < each; ++i)
        for (int tries = 0; tries < 10; ++tries)
          if (add_used(store, "app", {used(writer * each + i)})) break;
    });
  for (auto& thread : threads) thread.join();
  LocalStore store(path());
  EXPECT_THAT(used_programs(store, "app"), SizeIs(writers * each));
}

TEST_F(UsageInStore, a_record_that_is_damaged_begins_anew) {
  LocalStore store(path());
  const Bytes canonical = canonical_of_usage("app");
  value_or_throw(store.put(Kind::record, key_of(canonical), canonical, as_bytes("nothing of it"),
                           {usage_schema, "programs of app", {}, 0}));
  EXPECT_THAT(used_programs(store, "app"), IsEmpty());
  value_or_throw(add_used(store, "app", {used(1)}));
  EXPECT_THAT(used_programs(store, "app"), ElementsAre(used(1)));
}

/// A program as the layer builds it, and what is kept of it.
TEST_F(UsageInStore, gives_the_request_that_was_made_of_the_program) {
  LocalStore store(path());
  const auto device = cpu_device();
  const ProgramText text{"kernel void run(global int *a) { a[0] = 1; }\n", "-DN=1   -w"};
  const Request request = value_or_throw(program_request(text, *device));
  value_or_throw(keep_text(store, *request.source));
  UsedProgram program;
  program.text = request.source->digest();
  program.options = request.options;
  const auto kept = used_text(store, program.text);
  ASSERT_TRUE(kept);
  const Request again = value_or_throw(request_of(program, *kept, "app", *device));
  EXPECT_EQ(canonical_request(again, {}, *device), canonical_request(request, {}, *device));
  EXPECT_EQ(again.label, "app: run");
  const auto other = request_of(program, *kept + " ", "app", *device);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), Errc::corrupt);
  EXPECT_FALSE(used_text(store, digest_of(1)));
}

}  // namespace
}  // namespace kiln::layer
