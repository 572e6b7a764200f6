#include "tune/report/run.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/os/file.hpp"
#include "journal_support.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/search/journal.hpp"

namespace kiln::tune {
namespace {

using namespace testing;
using ::testing::HasSubstr;

Expected<TuningRun> read(const std::string& text) { return read_run(as_bytes(text), "j.jsonl"); }

TEST(TuningRun, holds_what_the_journal_says) {
  const auto run =
      read(head + R"({"id":0,"configuration":{"X":2,"M":"row"},"seconds":0.25,"at":1.5})"
                  "\n"
                  R"({"id":1,"configuration":{"X":1,"M":"col"},"failure":"crash","message":)"
                  "\"boom\",\"at\":2}\n")
          .value();
  EXPECT_EQ(run.identity, "a kernel");
  EXPECT_EQ(model_of(run.device), "a device");
  EXPECT_EQ(run.strategy, "forest");
  EXPECT_EQ(run.seed, 7u);
  ASSERT_EQ(run.parameters.size(), 2u);
  EXPECT_EQ(run.parameters[0].values, (std::vector<expr::Value>{1, 2})) << "in ascending order";
  EXPECT_EQ(run.parameters[1].values, (std::vector<expr::Value>{"row", "col"}));
  ASSERT_EQ(run.evaluations.size(), 2u);
  EXPECT_EQ(run.text(run.evaluations[0]), "X=2 M='row'");
  EXPECT_EQ(run.evaluations[0].outcome.time, 0.25);
  EXPECT_EQ(run.evaluations[0].at, 1.5);
  EXPECT_EQ(run.evaluations[1].outcome.failure, Failure::crash);
  EXPECT_EQ(run.evaluations[1].message, "boom");
}

TEST(Journal, a_bad_line_is_told_by_its_beginning_alone_and_shows_no_controls) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-run"));
  const auto file = folder.path() / "j";
  const auto made = space({"X=1..4"});
  const Journal::Subject subject{"i", "d", "forest", 3, Journal::text_of(made)};
  ASSERT_TRUE(Journal::open(file, subject, made, Journal::Existing::set_aside));
  std::ofstream(file, std::ios::app) << "\x1b[31m" << std::string(100'000, 'x') << '\n';
  const auto again = Journal::open(file, subject, made);
  const std::string message = message_of(again);
  EXPECT_THAT(message, HasSubstr("line 2: found '\\x1b[31mxxx"));
  EXPECT_LT(message.size(), 1000u);
}

TEST(TuningRun, reads_what_the_journal_writes) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-run"));
  const auto file = folder.path() / "j.jsonl";
  const auto made = space({"TS=8,16,32", "F=True,False", "M=row,col"}, {"TS > 8 or F"});
  const Journal::Subject subject{"i", "d", "forest", 3, Journal::text_of(made)};
  {
    auto journal = Journal::open(file, subject, made, Journal::Existing::set_aside).value();
    for (ConfigurationId id = 0; id < made.size(); ++id) {
      const Report failed{Outcome::of(Failure::timeout), "hangs\n\"here\""};
      const Report timed{Outcome::of_time(static_cast<double>(id) * 1e-6), ""};
      ASSERT_TRUE(journal.add(made, id, id % 3 == 0 ? failed : timed));
    }
  }
  const auto run = read_run(read_file(file).value(), "j").value();
  ASSERT_EQ(run.evaluations.size(), made.size());
  for (const auto& one : run.evaluations) {
    EXPECT_EQ(run.text(one), made.text(one.id));
    EXPECT_EQ(one.outcome.ok(), one.id % 3 != 0);
    EXPECT_TRUE(one.at.has_value());
  }
  EXPECT_EQ(run.reasons().at(0).message, "hangs\n\"here\"");
}

TEST(TuningRun, a_resumed_journal_s_clock_goes_on) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-run"));
  const auto file = folder.path() / "j.jsonl";
  const auto made = space({"X=1..4"});
  const Journal::Subject subject{"i", "d", "s", 1, Journal::text_of(made)};
  {
    auto journal = Journal::open(file, subject, made, Journal::Existing::set_aside).value();
    ASSERT_TRUE(journal.add(made, 0, {Outcome::of_time(1), ""}));
  }
  auto text = read_text(file).value();
  text += R"({"id":1,"configuration":{"X":2},"seconds":1,"at":1000})"
          "\n";
  ASSERT_TRUE(write_file(file, as_bytes(text)));
  {
    auto journal = Journal::open(file, subject, made).value();
    ASSERT_EQ(journal.entries().size(), 2u);
    ASSERT_TRUE(journal.add(made, 2, {Outcome::of_time(1), ""}));
  }
  const auto run = read(read_text(file).value()).value();
  EXPECT_LT(*run.evaluations[0].at, 1000);
  EXPECT_GE(*run.evaluations[2].at, 1000);
}

TEST(TuningRun, reads_journals_that_do_not_say_when) {
  const auto run = read(head + R"({"id":3,"configuration":"X=2 Y=-0.5 M='row'","seconds":1})"
                               "\n")
                       .value();
  EXPECT_EQ(run.text(run.evaluations[0]), "X=2 Y=-0.5 M='row'");
  EXPECT_FALSE(run.evaluations[0].at.has_value());
}

TEST(TuningRun, leaves_out_a_line_that_was_cut) {
  const auto text = journal_of_valley();
  const auto whole = read(text).value(), cut = read(text.substr(0, text.size() - 9)).value();
  EXPECT_EQ(cut.evaluations.size() + 1, whole.evaluations.size());
}

TEST(TuningRun, ranks_the_fastest_first_and_each_once) {
  const auto run = read(head + R"({"id":1,"configuration":{"X":1},"seconds":3})"
                               "\n"
                               R"({"id":2,"configuration":{"X":2},"seconds":1})"
                               "\n"
                               R"({"id":3,"configuration":{"X":3},"failure":"build"})"
                               "\n"
                               R"({"id":1,"configuration":{"X":1},"seconds":2})"
                               "\n")
                       .value();
  const auto ranked = run.ranked();
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0]->id, 2u);
  EXPECT_EQ(ranked[1]->outcome.time, 2);
}

TEST(TuningRun, counts_failures_by_reason) {
  const auto reasons = read(journal_of_valley(1)).value().reasons();
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].failure, Failure::launch);
  EXPECT_EQ(reasons[0].count, valley().failures());
  EXPECT_EQ(reasons[0].message, "CL_INVALID_WORK_GROUP_SIZE");
}

TEST(TuningRun, what_is_no_journal_is_refused_with_its_line) {
  const std::string one = R"({"id":1,"configuration":{"X":1},"seconds":3})"
                          "\n";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "line 1: found '', expected a tuning journal"},
           {"no journal\n", "line 1: found 'no journal', expected the head"},
           {"{\"kiln tuning journal\":2}\n", "expected version 1"},
           {"{\"kiln tuning journal\":1}\n", "expected a text 'identity'"},
           {head, "nothing was measured"},
           {head + "[]\n", "line 2: found '[]', expected an object with id"},
           {head + R"({"id":1,"seconds":3})"
                   "\n",
            "line 2: "},
           {head + R"({"id":1,"configuration":{},"seconds":3})"
                   "\n",
            "a configuration with values"},
           {head + R"({"id":1,"configuration":{"X":[1]},"seconds":3})"
                   "\n",
            "with values"},
           {head + R"({"id":1,"configuration":{"X":18446744073709551615},"seconds":3})"
                   "\n",
            "with values"},
           {head + R"({"id":1,"configuration":"X","seconds":3})"
                   "\n",
            "with values"},
           {head + R"({"id":1,"configuration":{"X":1},"seconds":0})"
                   "\n",
            "seconds or failure"},
           {head + R"({"id":1,"configuration":{"X":1},"seconds":1,"at":-1})"
                   "\n",
            "line 2"},
           {head + one +
                R"({"id":2,"configuration":{"Y":1},"seconds":3})"
                "\n",
            "line 3: found '{\"id\":2,\"configuration\":{\"Y\":1},\"seconds\":3}', expected the "
            "first"},
           {head + one +
                R"({"id":2,"configuration":{"X":1,"Y":1},"seconds":3})"
                "\n",
            "the first"},
           {std::string(1000, 'x') + "\n", "…', expected the head"}}) {
    const auto run = read(text);
    ASSERT_FALSE(run) << text;
    EXPECT_EQ(run.error().code(), Errc::bad_input);
    EXPECT_THAT(run.error().message(), HasSubstr("j.jsonl: "));
    EXPECT_THAT(run.error().message(), HasSubstr(part)) << text;
    EXPECT_EQ(run.error().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace kiln::tune
