#include "tune/search/tuner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/os/file.hpp"
#include "tune/fake_tunable.hpp"
#include "tune/report/run.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class TunerTest : public ::testing::Test {
 protected:
  TunerTest()
      : folder_(fs::temp_directory_path() /
                ("kiln-tuner-" + std::to_string(::getpid()) +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~TunerTest() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "journal"; }
  Journal::Subject subject() const {
    return {tunable_.identity(), "a device", "exhaustive", 1, Journal::text_of(tunable_.space())};
  }
  Expected<Journal> open(bool resume) const {
    return Journal::open(path(), subject(), tunable_.space(),
                         resume ? Journal::Existing::resume : Journal::Existing::set_aside);
  }
  /// A search of so many evaluations (0: all).
  Expected<TunerResult> search(
      std::size_t most, bool resume, const Tuner::Listener& listener,
      const Worker::Open& open_bench = [] { return std::make_unique<FakeBench>(); }) {
    auto journal = value_or_throw(open(resume));
    const auto strategy = value_or_throw(make_strategy("exhaustive", tunable_.space(), 1));
    Worker worker(open_bench, {std::chrono::milliseconds(20'000), std::chrono::milliseconds(300),
                               std::chrono::milliseconds(20'000)});
    TunerOptions options;
    options.most = most;
    Tuner tuner(tunable_, worker, *strategy, journal, options);
    return tuner.run(listener);
  }
  static bool go_on(const TunerState&) { return true; }
  /// Of the journal, but for how its searches have ended.
  std::size_t lines() const {
    std::ifstream in(path());
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) count += !line.starts_with("{\"winner\"");
    return count;
  }

  FakeTunable tunable_;
  fs::path folder_;
};

TEST_F(TunerTest, finds_the_fastest_past_all_that_fails) {
  const auto result = search(0, false, go_on);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->winner->id, 20u);
  EXPECT_EQ(result->state.evaluated, 40u);
  EXPECT_EQ(result->state.failed, 5u);
  EXPECT_EQ(result->replaced, 3u);
  EXPECT_DOUBLE_EQ(result->standard, FakeBench::time_of(0));
  EXPECT_TRUE(result->recorded);
}

TEST_F(TunerTest, ends_where_it_is_told_to_and_keeps_the_best_so_far) {
  std::size_t calls = 0;
  const auto result = search(0, false, [&](const TunerState&) { return ++calls < 3; });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->state.evaluated, 3u);
  EXPECT_EQ(result->winner->id, 2u);
}

/// Compiles without fail but for one that needs more than there is.
void compile_ahead(ConfigurationId id) {
  if (id == 30) throw Error(Errc::unsupported, "too much local memory");
}

/// One process that measures, three that compile.
struct Ahead {
  static constexpr std::chrono::milliseconds long_enough{20'000}, soon{300};
  Worker worker{[] { return std::make_unique<FakeBench>(); }, {long_enough, soon, long_enough}};
  CompilePool pool{[] { return Compile(compile_ahead); }, 3, long_enough};
};

TEST_F(TunerTest, measures_what_was_compiled_ahead_in_the_order_of_asking) {
  for (const bool meanwhile : {false, true}) {
    auto journal = value_or_throw(open(false));
    const auto strategy = value_or_throw(make_strategy("exhaustive", tunable_.space(), 1));
    Ahead ahead;
    TunerOptions options;
    options.compilers = &ahead.pool;
    options.compile_meanwhile = meanwhile;
    const auto result = Tuner(tunable_, ahead.worker, *strategy, journal, options).run(go_on);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->winner->id, 20u);
    EXPECT_EQ(result->state.evaluated, 40u);
    EXPECT_EQ(result->state.failed, 6u);
    for (ConfigurationId id = 0; id < 40; ++id) EXPECT_EQ(journal.entries()[id].id, id);
    EXPECT_EQ(journal.entries()[30].report.message, "too much local memory");
  }
}

/// The forest asked ahead for 3, in one go or in two.
TEST_F(TunerTest, resumes_what_was_asked_ahead_as_it_went_on) {
  const auto run = [&](std::size_t most, bool resume) {
    auto journal = value_or_throw(open(resume));
    const auto strategy = value_or_throw(make_strategy("forest", tunable_.space(), 7));
    Ahead ahead;
    TunerOptions options;
    options.compilers = &ahead.pool;
    options.most = most;
    const auto result = Tuner(tunable_, ahead.worker, *strategy, journal, options).run(go_on);
    std::vector<ConfigurationId> ids;
    for (const auto& entry : journal.entries()) ids.push_back(entry.id);
    return ids;
  };
  const auto whole = run(25, false);
  run(14, false);
  const auto halves = run(11, true);
  EXPECT_EQ(whole.size(), 25u);
  EXPECT_EQ(halves, whole);
}

TEST_F(TunerTest, goes_on_where_an_earlier_search_ended) {
  ASSERT_TRUE(search(15, false, go_on));
  const std::size_t before = lines();
  std::size_t first = 0;
  const auto result = search(0, true, [&](const TunerState& state) {
    if (first == 0) first = state.evaluated;
    return true;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(first, 15u);
  EXPECT_EQ(result->state.evaluated, 40u);
  EXPECT_EQ(result->winner->id, 20u);
  // Nothing is measured twice for the journal.
  EXPECT_EQ(lines(), before + 25);
}

TEST_F(TunerTest, holds_the_winner_against_what_is_built_in_as_it_is_now) {
  ASSERT_TRUE(search(15, false, go_on));
  std::ifstream in(path());
  std::string head, first, rest;
  std::getline(in, head);
  std::getline(in, first);
  rest.assign(std::istreambuf_iterator<char>(in), {});
  in.close();
  // In the earlier run it failed once, or another machine said so.
  for (const char* said : {R"("failure":"timeout")", R"("seconds":1e-9,"elsewhere":true)"}) {
    std::ofstream(path()) << head << "\n{\"id\":0," << said << "}\n" << rest;
    const auto result = search(0, true, go_on);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->winner->id, 20u);
    EXPECT_NEAR(result->standard / result->winner->time,
                FakeBench::time_of(0) / FakeBench::time_of(20), 1e-6)
        << said;
  }
}

/// Writes what is put on record to a file, a line each, and says that one is there already.
class RecordingBench : public FakeBench {
 public:
  RecordingBench(fs::path to, ConfigurationId known) : to_(std::move(to)), known_(known) {}
  std::optional<ConfigurationId> on_record() override { return known_; }
  void record(ConfigurationId id, double seconds, double) override {
    std::ofstream(to_, std::ios::app) << id << " " << seconds << "\n";
  }

 private:
  fs::path to_;
  ConfigurationId known_;
};

TEST_F(TunerTest, a_record_of_an_earlier_search_is_measured_beside_the_winner) {
  const fs::path records = folder_ / "records";
  const auto recorded_with = [&](ConfigurationId known, std::size_t most) {
    fs::remove(records);
    fs::remove(path());
    const auto result = search(most, false, go_on,
                               [&] { return std::make_unique<RecordingBench>(records, known); });
    EXPECT_TRUE(result);
    std::map<ConfigurationId, double> found;
    std::ifstream in(records);
    for (std::pair<ConfigurationId, double> line; in >> line.first >> line.second;)
      found.insert(line);
    return found;
  };
  // This search finds a faster one: what is on record gets its true time.
  const auto both = recorded_with(30, 0);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NEAR(both.at(20), FakeBench::time_of(20), 1e-9);
  EXPECT_NEAR(both.at(30), FakeBench::time_of(30), 1e-9);
  // This one ends before it comes to what is on record and is faster: that wins.
  const auto kept = recorded_with(21, 3);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NEAR(kept.at(21), FakeBench::time_of(21), 1e-9);
  // What does not run any more is no rival.
  EXPECT_EQ(recorded_with(FakeBench::is_wrong, 3).size(), 1u);
}

TEST_F(TunerTest, loses_at_most_what_was_in_flight) {
  ASSERT_TRUE(search(10, false, go_on));
  // As a process leaves it that was killed while it wrote.
  std::ofstream(path(), std::ios::app) << R"({"id":10,"config)";
  const auto journal = open(true);
  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_EQ(journal->entries().size(), 10u);
  EXPECT_EQ(lines(), 11u);
}

TEST_F(TunerTest, ends_where_the_device_vanishes_and_goes_on_when_it_is_back) {
  const auto mark = folder_ / "lost";
  const auto result =
      search(0, false, go_on, [&] { return std::make_unique<LosingBench>(mark, 12); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::device);
  EXPECT_THAT(result.error().message(), HasSubstr("the device is gone"));
  EXPECT_EQ(result.error().message().find('\n'), std::string::npos);
  // 0 to 11 were measured; none is blamed for what happened then.
  EXPECT_EQ(lines(), 1u + 12u);
  const auto again = search(0, true, go_on);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->winner->id, 20u);
  EXPECT_EQ(again->state.evaluated, 40u);
}

TEST_F(TunerTest, a_candidate_that_poisons_the_device_takes_no_other_with_it) {
  const auto result =
      search(0, false, go_on, [] { return std::make_unique<PoisonedBench>(Failure::launch); });
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->winner->id, 20u);
  EXPECT_EQ(result->state.failed, 1u);
  EXPECT_EQ(result->replaced, 1u);
}

TEST_F(TunerTest, says_so_where_no_candidate_is_right) {
  Worker worker(
      [] {
        struct Wrong : FakeBench {
          Report prepare(ConfigurationId) override {
            return {Outcome::of(Failure::wrong_result), "wrong"};
          }
        };
        return std::make_unique<Wrong>();
      },
      {});
  const auto strategy = value_or_throw(make_strategy("exhaustive", tunable_.space(), 1));
  auto copy = value_or_throw(Journal::open(folder_ / "other", subject(), tunable_.space()));
  Tuner tuner(tunable_, worker, *strategy, copy, {});
  const auto result = tuner.run(go_on);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::bad_input);
  EXPECT_THAT(result.error().message(), HasSubstr("none of 40 candidates"));
}

/// One truth: record, result and journal.
TEST_F(TunerTest, the_journal_ends_with_what_is_on_record) {
  const fs::path records = folder_ / "records";
  const auto bench = [&] { return std::make_unique<RecordingBench>(records, FakeBench::is_wrong); };
  const auto expect_one_truth = [&](const Expected<TunerResult>& result) {
    ASSERT_TRUE(result) << result.error().message();
    ConfigurationId id = 0;
    double seconds = 0;
    std::ifstream(records) >> id >> seconds;
    fs::remove(records);
    const auto run = value_or_throw(read_run(value_or_throw(read_file(path())), "j"));
    ASSERT_TRUE(run.winner);
    const auto& ending = run.winner->ending;
    EXPECT_EQ(ending.winner, id);
    EXPECT_EQ(result->winner->id, id);
    EXPECT_EQ(ending.seconds, result->winner->time);
    EXPECT_EQ(ending.standard, result->standard);
    EXPECT_NEAR(seconds, ending.seconds, 1e-5 * seconds);
    EXPECT_EQ(run.best()->seconds, ending.seconds);
    EXPECT_EQ(ending.decision, result->decision);
    EXPECT_EQ(ending.rounds, result->winner->rounds);
  };
  expect_one_truth(search(15, false, go_on, bench));
  // The times of the journal are from a machine that was half as fast.
  std::ifstream in(path());
  std::string slower;
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find("\"seconds\":");
    if (line.starts_with("{\"id\"") && at != line.npos) {
      const auto end = line.find_first_of(",}", at);
      const double twice = 2 * std::stod(line.substr(at + 10, end - at - 10));
      line.replace(at + 10, end - at - 10, std::to_string(twice));
    }
    slower += line + "\n";
  }
  std::ofstream(path()) << slower;
  const auto result = search(0, true, go_on, bench);
  expect_one_truth(result);
  EXPECT_EQ(result->winner->id, 20u);
  EXPECT_NEAR(result->winner->time, FakeBench::time_of(20), 0.01 * FakeBench::time_of(20))
      << "as it is now, whatever the journal's scale";
  EXPECT_EQ(result->decision, Decision::play_off);
  EXPECT_GE(result->winner->places.size(), 1u);
  EXPECT_EQ(result->winner->places.front().id, 20u);
  // What is told to end has no play-off.
  std::size_t calls = 0;
  const auto ended = search(
      0, false, [&](const TunerState&) { return ++calls < 3; }, bench);
  expect_one_truth(ended);
  EXPECT_EQ(ended->decision, Decision::interrupted);
}

/// Two tuners on one lock, the other of which holds it.
class LockedTuner : public TunerTest {
 protected:
  LockedTuner() { EXPECT_TRUE(other_.try_lock()); }
  Expected<TunerResult> search_locked(const Tuner::Listener& listener,
                                      std::chrono::milliseconds budget) {
    auto journal = value_or_throw(open(false));
    const auto strategy = value_or_throw(make_strategy("exhaustive", tunable_.space(), 1));
    Worker worker([] { return std::make_unique<FakeBench>(); },
                  {std::chrono::milliseconds(20'000), std::chrono::milliseconds(300),
                   std::chrono::milliseconds(20'000)});
    TunerOptions options;
    options.lock = &own_;
    options.budget = budget;
    options.last_wait = options.record_wait = std::chrono::milliseconds(0);
    return Tuner(tunable_, worker, *strategy, journal, options).run(listener);
  }

  MachineLock own_ = value_or_throw(MachineLock::open(folder_ / "lock"));
  MachineLock other_ = value_or_throw(MachineLock::open(folder_ / "lock"));
};

TEST_F(LockedTuner, says_that_it_waits_and_goes_on_when_the_other_has_done) {
  bool waited = false;
  const auto result = search_locked(
      [&](const TunerState& state) {
        if (!state.waiting) return true;
        EXPECT_EQ(state.waiting->holder, ::getpid());
        waited = true;
        other_.unlock();
        return true;
      },
      std::chrono::hours(1));
  EXPECT_TRUE(waited);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->winner->id, 20u);
}

TEST_F(LockedTuner, hears_that_it_is_to_end_while_it_waits) {
  int asked = 0;
  const auto result =
      search_locked([&](const TunerState&) { return ++asked < 3; }, std::chrono::hours(1));
  ASSERT_FALSE(result);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(result.error().code(), Errc::timeout);
}

TEST_F(LockedTuner, ends_with_its_budget_though_the_other_never_does) {
  const auto result = search_locked(go_on, std::chrono::milliseconds(1));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::timeout);
  EXPECT_THAT(result.error().message(), HasSubstr(std::to_string(::getpid())));
}

TEST_F(LockedTuner, records_the_best_so_far_where_the_other_comes_in_between) {
  own_.unlock();
  other_.unlock();
  std::size_t calls = 0;
  const auto result = search_locked(
      [&](const TunerState& state) {
        if (state.evaluated == 10 && !state.waiting) {
          EXPECT_TRUE(other_.try_lock());
        }
        if (state.waiting) ++calls;
        return calls < 2;
      },
      std::chrono::hours(1));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->decision, Decision::interrupted);
  EXPECT_EQ(result->state.evaluated, 10u);
}

TEST_F(TunerTest, leaves_a_journal_to_the_process_that_has_it) {
  const auto first = open(false);
  ASSERT_TRUE(first);
  const auto second = open(false);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another process"));
}

TEST_F(TunerTest, does_not_go_on_with_a_journal_of_something_else) {
  { ASSERT_TRUE(open(false)); }
  auto other = subject();
  other.device = "another device";
  const auto journal = Journal::open(path(), other, tunable_.space());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), HasSubstr("line 1"));
  EXPECT_EQ(lines(), 1u) << "and leaves it as it was";
}

TEST_F(TunerTest, refuses_a_damaged_journal_by_its_line) {
  ASSERT_TRUE(search(3, false, go_on));
  for (const char* bad :
       {"{}", "[1]", "{\"id\":99,\"seconds\":1}", "{\"id\":1,\"seconds\":-1}",
        "{\"id\":1,\"seconds\":\"x\"}", "{\"id\":-1,\"seconds\":1}", "\xff\xfe"}) {
    { ASSERT_TRUE(search(3, false, go_on)); }
    std::ofstream(path(), std::ios::app) << bad << '\n';
    const auto journal = open(true);
    ASSERT_FALSE(journal) << bad;
    EXPECT_THAT(journal.error().message(), HasSubstr("line 6"));
  }
}

}  // namespace
}  // namespace kiln::tune::testing
