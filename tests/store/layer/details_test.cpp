// What a maker tells besides: source, options, build log.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "store/layer/entry_form.hpp"
#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

TEST(Details, folders_are_cut_from_absolute_paths) {
  EXPECT_EQ(without_folders("/home/me/blur.cl:3:1: warning"), "blur.cl:3:1: warning");
  EXPECT_EQ(without_folders("in file /tmp/a/b.h"), "in file b.h");
  EXPECT_EQ(without_folders("-I/home/me/include -D X=/opt/me/x"), "-Iinclude -D X=x");
  EXPECT_EQ(without_folders("-I /home/me/include"), "-I include");
  EXPECT_EQ(without_folders("\"/home/me/a b\""), "\"a b\"");
  EXPECT_EQ(without_folders("/home/me/,/home/you/k.cl"), ",k.cl");
  EXPECT_EQ(without_folders("//home//me//k.cl"), "k.cl");
}

TEST(Details, what_is_no_absolute_path_stays) {
  for (const char* text : {"", "/", "a / b", "a/b/c.cl", "// a comment", "1/2/3", "x = y /z;",
                           "-cl-std=CL1.2 -DN=4", "kernels/../blur.cl"})
    EXPECT_EQ(without_folders(text), text);
}

TEST(Details, long_texts_are_cut_between_characters_and_say_so) {
  Metadata metadata;
  metadata.options = std::string(Metadata::longest_detail, 'x');
  for (int letter = 0; letter < 20'000; ++letter) metadata.build_log += "ä";
  const Metadata kept = kept_metadata(metadata);
  EXPECT_EQ(kept.options, metadata.options);
  EXPECT_LE(kept.build_log.size(), Metadata::longest_detail);
  EXPECT_GE(kept.build_log.size(), Metadata::longest_detail - 1);
  EXPECT_TRUE(kept.build_log.ends_with("ä\n[cut]"));
}

TEST(Details, a_cost_that_is_no_time_becomes_nought) {
  for (const double cost : {-1.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    Metadata metadata;
    metadata.cost_seconds = cost;
    EXPECT_EQ(kept_metadata(metadata).cost_seconds, 0);
    EXPECT_FALSE(std::signbit(kept_metadata(metadata).cost_seconds));
  }
}

TEST(Details, come_back_with_the_entry) {
  TestFolder folder;
  Sample a{1};
  Metadata metadata{3, "a label", "a device", 0.5};
  metadata.source = blake2b(as_bytes("kernel void f() {}"));
  metadata.options = "-DN=4";
  metadata.build_log = "1 warning generated.\n";
  ASSERT_TRUE(LocalStore(folder.store()).put(Kind::artifact, a.key, a.canonical, {}, metadata));
  const auto found = LocalStore(folder.store()).get(Kind::artifact, a.key, a.canonical);
  ASSERT_TRUE(found.entry) << found.reason;
  EXPECT_EQ(found.entry->metadata, metadata);
}

TEST(Details, are_covered_by_the_rows_checksum) {
  RowHead head;
  const Checksum plain = row_checksum(head, {});
  std::vector<Checksum> sums{plain};
  const auto differs_from_all = [&] {
    const auto sum = row_checksum(head, {});
    for (const auto& other : sums) EXPECT_FALSE(sum == other);
    sums.push_back(sum);
  };
  head.metadata.options = "a";
  differs_from_all();
  head.metadata = {};
  head.metadata.build_log = "a";
  differs_from_all();
  head.metadata = {};
  head.metadata.source.emplace();
  differs_from_all();
}

}  // namespace
}  // namespace kiln
