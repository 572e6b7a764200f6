#include "tune/search/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "tune/fake_tunable.hpp"
#include "tune/report/run.hpp"

namespace kiln::tune {
namespace {

TEST(Decision, is_explained_by_the_play_off_and_by_what_won_in_its_place) {
  EXPECT_EQ(explanation_of(Decision::play_off, 2, 8), "Play-off of 2 finalists, 8 rounds");
  EXPECT_EQ(explanation_of(Decision::play_off, 1, 0),
            "No other candidate was close enough for a play-off");
  EXPECT_EQ(explanation_of(Decision::built_in, 3, 8),
            "Play-off of 3 finalists, 8 rounds; no candidate was measurably faster than the "
            "built-in parameters");
  EXPECT_EQ(explanation_of(Decision::earlier_record, 1, 0),
            "No other candidate was close enough for a play-off; the earlier record was faster "
            "than what this search found");
  EXPECT_EQ(explanation_of(Decision::interrupted, 1, 0),
            "The best so far; the search was ended before the play-off");
}

}  // namespace
}  // namespace kiln::tune

namespace kiln::tune::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using OrderedJson = nlohmann::ordered_json;
using Existing = Journal::Existing;
namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "journal"; }
  Journal::Subject subject(std::uint64_t seed = 1) const {
    return {tunable_.identity(), "a device", "forest", seed, Journal::text_of(space())};
  }
  const SearchSpace& space() const { return tunable_.space(); }
  Expected<Journal> open(Existing existing = Existing::resume, std::uint64_t seed = 1) const {
    return Journal::open(path(), subject(seed), space(), existing);
  }
  /// A journal of so many evaluations.
  void make(ConfigurationId evaluations, std::uint64_t seed = 1) const {
    auto journal = value_or_throw(open(Existing::resume, seed));
    for (ConfigurationId id = 0; id < evaluations; ++id)
      value_or_throw(journal.add(space(), id, {Outcome::of_time(1e-3), ""}));
  }
  std::string text(const fs::path& file) const { return value_or_throw(read_text(file)); }
  std::string text() const { return text(path()); }
  void write(std::string_view text) const { value_or_throw(write_file(path(), as_bytes(text))); }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-journal-test"));
  FakeTunable tunable_;
};

TEST_F(JournalTest, one_of_the_same_search_is_gone_on_with) {
  make(26);
  const auto journal = open();
  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_EQ(journal->entries().size(), 26u);
  EXPECT_EQ(value_or_throw(Journal::look(path(), subject())), "");
}

TEST_F(JournalTest, one_of_another_search_is_refused_by_its_name_and_stays) {
  make(3, 7);
  const std::string before = text();
  const auto journal = open();
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), Errc::bad_input);
  EXPECT_THAT(journal.error().message(),
              AllOf(HasSubstr(path().string()), HasSubstr("seed 7"), HasSubstr("--fresh")));
  const auto look = Journal::look(path(), subject());
  ASSERT_FALSE(look);
  EXPECT_EQ(look.error().message(), journal.error().message());
  EXPECT_EQ(text(), before);
}

TEST_F(JournalTest, a_file_that_is_no_journal_is_never_written_to) {
  for (const char* other : {"notes\n", "notes", "{\"name\": \"mm\"}\n", "[1]\n", "\n",
                            "{\"kiln tuning records\": 1}\n", "\xff\xfe"}) {
    for (const auto existing : {Existing::resume, Existing::set_aside}) {
      write(other);
      const auto journal = open(existing);
      ASSERT_FALSE(journal) << other;
      EXPECT_THAT(journal.error().message(),
                  AllOf(HasSubstr(path().string()), HasSubstr("not a tuning journal")));
      EXPECT_EQ(text(), other);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << other;
  }
}

// Printing values within values takes stack.
TEST_F(JournalTest, a_head_of_deep_values_is_no_journal) {
  const std::string deep(1 << 20, '[');
  write("{\"kiln tuning journal\":1,\"identity\":" + deep + std::string(1 << 20, ']') + "}\n");
  EXPECT_FALSE(open());
  EXPECT_FALSE(Journal::look(path(), subject()));
}

TEST_F(JournalTest, what_is_no_regular_file_is_refused) {
  EXPECT_FALSE(Journal::open("/dev/null", subject(), space()));
  EXPECT_FALSE(Journal::look("/dev/zero", subject()));
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(open());
  EXPECT_FALSE(Journal::open(folder_.path(), subject(), space()));
}

TEST_F(JournalTest, one_that_is_set_aside_gets_a_name_that_was_free) {
  make(3);
  const std::string first = text();
  value_or_throw(write_file(path().string() + ".1", as_bytes("another's")));
  {
    const auto fresh = open(Existing::set_aside);
    ASSERT_TRUE(fresh) << fresh.error().message();
    EXPECT_TRUE(fresh->entries().empty());
  }
  EXPECT_EQ(text(path().string() + ".1"), "another's");
  EXPECT_EQ(text(path().string() + ".2"), first);
  make(2, 1);
  // One of another search, too, and one that is damaged.
  ASSERT_TRUE(open(Existing::set_aside, 9));
  write(text() + "damage\n");
  ASSERT_FALSE(open(Existing::resume, 9));
  ASSERT_TRUE(open(Existing::set_aside, 9));
  EXPECT_THAT(text(path().string() + ".4"), HasSubstr("damage"));
}

TEST_F(JournalTest, a_head_that_was_cut_begins_anew) {
  make(0);
  const std::string head = text();
  for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{10}, head.size() - 1}) {
    write(head.substr(0, cut));
    EXPECT_EQ(value_or_throw(Journal::look(path(), subject())), std::nullopt);
    ASSERT_TRUE(open()) << cut;
    EXPECT_EQ(text(), head);
  }
}

TEST_F(JournalTest, holds_how_its_search_has_ended) {
  make(5);
  {
    auto journal = value_or_throw(open());
    value_or_throw(journal.end(space(), {1, 2e-3, 3e-3, Decision::play_off, 1, {}}));
    value_or_throw(journal.add(space(), 6, {Outcome::of_time(5e-4), ""}));
    value_or_throw(journal.end(
        space(), {30, 0.25e-3, 1e-3, Decision::earlier_record, 12, {{2, 1, 12}, {4, 1.25, 8}}}));
  }
  EXPECT_EQ(value_or_throw(open()).entries().size(), 6u) << "endings are no evaluations";
  const auto run = value_or_throw(read_run(as_bytes(text()), "j"));
  ASSERT_TRUE(run.winner);
  EXPECT_EQ(run.evaluations.size(), 6u);
  EXPECT_EQ(run.winner->evaluations, 6u);
  EXPECT_EQ(run.winner->ending.seconds, 0.25e-3);
  EXPECT_EQ(run.winner->ending.standard, 1e-3);
  EXPECT_EQ(run.winner->ending.decision, Decision::earlier_record);
  EXPECT_EQ(run.winner->ending.rounds, 12u);
  const auto best = run.best();
  ASSERT_TRUE(best);
  EXPECT_EQ(best->text, "X=30") << "though this search has not measured it";
  EXPECT_EQ(best->seconds, 0.25e-3);
  ASSERT_NE(run.finalist(4), nullptr);
  EXPECT_EQ(run.finalist(4)->relative, 1.25);
  std::vector<ConfigurationId> standing;
  for (const auto* one : run.standing()) standing.push_back(one->id);
  EXPECT_EQ(standing, (std::vector<ConfigurationId>{2, 4, 6, 0, 1, 3}));
}

TEST_F(JournalTest, a_damaged_ending_is_refused_by_its_line) {
  make(1);
  const std::string good = text();
  for (const char* bad :
       {R"({"winner":1})", R"({"winner":99,"seconds":1,"decided_by":"play-off"})",
        R"({"winner":1,"seconds":0,"decided_by":"play-off"})",
        R"({"winner":1,"seconds":1,"decided_by":"play-off","finalists":[1]})",
        R"({"winner":1,"seconds":1,"decided_by":"play-off","finalists":[{"id":1}]})"}) {
    write(good + bad + "\n");
    const auto journal = open();
    ASSERT_FALSE(journal) << bad;
    EXPECT_THAT(journal.error().message(), HasSubstr("line 3"));
  }
}

}  // namespace
}  // namespace kiln::tune::testing
