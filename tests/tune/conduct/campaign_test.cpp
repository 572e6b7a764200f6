#include "tune/conduct/campaign.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/os/file.hpp"

namespace kiln::tune::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ShareOut, is_by_weight) {
  const double weights[] = {3, 1};
  EXPECT_THAT(share_out(milliseconds(400), weights, milliseconds(10)),
              ElementsAre(milliseconds(300), milliseconds(100)));
}

TEST(ShareOut, gives_nobody_less_than_the_least) {
  const double weights[] = {99, 1, 0};
  EXPECT_THAT(share_out(milliseconds(100), weights, milliseconds(20)),
              ElementsAre(milliseconds(60), milliseconds(20), milliseconds(20)));
}

TEST(ShareOut, leaves_out_the_last_where_the_time_is_not_enough) {
  const double weights[] = {1, 1, 1};
  EXPECT_THAT(share_out(milliseconds(25), weights, milliseconds(10)),
              ElementsAre(milliseconds(12), milliseconds(12), milliseconds(0)));
}

TEST(ShareOut, gives_nothing_of_what_is_overdrawn) {
  const double weights[] = {1, 1, 1};
  for (const int time : {0, -5, -10, -25, -1'000'000})
    EXPECT_THAT(share_out(milliseconds(time), weights, milliseconds(10)),
                ElementsAre(milliseconds(0), milliseconds(0), milliseconds(0)))
        << time;
}

RC_GTEST_PROP(ShareOut, never_gives_more_than_there_is, ()) {
  const auto parts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  const std::vector<double> weights(parts.begin(), parts.end());
  const milliseconds time(*rc::gen::inRange(0, 100'000)), least(*rc::gen::inRange(1, 500));
  const auto shares = share_out(time, weights, least);
  RC_ASSERT(shares.size() == weights.size());
  RC_ASSERT(std::accumulate(shares.begin(), shares.end(), milliseconds(0)) <= time);
  bool ended = false;
  for (const auto share : shares) {
    RC_ASSERT(share == milliseconds(0) || (share >= least && !ended));
    ended = share == milliseconds(0);
  }
}

class CampaignLogTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path() / "log"; }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-campaign"));
};

TEST_F(CampaignLogTest, remembers_what_was_begun_and_finished) {
  {
    auto log = CampaignLog::open(path(), false);
    ASSERT_TRUE(log);
    ASSERT_TRUE(log->begin("a") && log->finish("a") && log->begin("b") && log->begin("b"));
  }
  // As a process leaves it that was killed while it wrote.
  std::ofstream(path(), std::ios::app) << R"({"finished":"b)";
  {
    const auto log = CampaignLog::open(path(), true);
    ASSERT_TRUE(log) << log.error().message();
    EXPECT_TRUE(log->is_finished("a"));
    EXPECT_TRUE(log->has_begun("b"));
    EXPECT_FALSE(log->is_finished("b"));
    EXPECT_FALSE(log->has_begun("c"));
  }
  const auto anew = CampaignLog::open(path(), false);
  ASSERT_TRUE(anew);
  EXPECT_FALSE(anew->has_begun("a"));
  const auto aside = CampaignLog::read(path() + ".1");
  ASSERT_TRUE(aside) << aside.error().message();
  EXPECT_TRUE(aside->is_finished("a")) << "what was there is not destroyed";
}

TEST_F(CampaignLogTest, is_read_without_being_touched) {
  const auto absent = CampaignLog::read(path());
  ASSERT_TRUE(absent) << absent.error().message();
  EXPECT_FALSE(absent->has_begun("a"));
  EXPECT_FALSE(std::filesystem::exists(path()));

  auto held = CampaignLog::open(path(), false);
  ASSERT_TRUE(held && held->begin("a") && held->finish("a") && held->begin("b"));
  std::ofstream(path(), std::ios::app) << R"({"finished":"b)";
  const auto size = std::filesystem::file_size(path());
  const auto log = CampaignLog::read(path());
  ASSERT_TRUE(log) << "another process has it: " << log.error().message();
  EXPECT_TRUE(log->is_finished("a"));
  EXPECT_TRUE(log->has_begun("b"));
  EXPECT_FALSE(log->is_finished("b"));
  EXPECT_EQ(std::filesystem::file_size(path()), size) << "the cut line stays";
}

TEST_F(CampaignLogTest, is_one_processs_at_a_time) {
  const auto first = CampaignLog::open(path(), false);
  const auto second = CampaignLog::open(path(), true);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another process"));
}

TEST_F(CampaignLogTest, tells_of_a_long_line_its_beginning) {
  std::ofstream(path()) << std::string(100'000, 'x') << '\n';
  const auto log = CampaignLog::open(path(), true);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message(), HasSubstr("found 'xxx"));
  EXPECT_LT(log.error().message().size(), 1000u);
}

TEST_F(CampaignLogTest, refuses_what_is_none_by_its_line) {
  for (const char* text : {"x\n", "{\"kiln tuning journal\":1}\n"}) {
    std::ofstream(path(), std::ios::trunc) << text;
    const auto log = CampaignLog::open(path(), true);
    ASSERT_FALSE(log);
    EXPECT_THAT(log.error().message(), HasSubstr("line 1"));
  }
  for (const char* line : {"x", "[]", "{}", "{\"begun\":1}", "{\"begun\":\"\"}", "\xff"}) {
    std::ofstream(path(), std::ios::trunc) << "{\"kiln tuning campaign\":1}\n" << line << '\n';
    const auto log = CampaignLog::open(path(), true);
    ASSERT_FALSE(log) << line;
    EXPECT_THAT(log.error().message(), HasSubstr("line 2"));
  }
}

}  // namespace
}  // namespace kiln::tune::testing
