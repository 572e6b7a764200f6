#include "tune/records/kept_run.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/os/file.hpp"
#include "cli/tune/journal_samples.hpp"
#include "tune/strategy/strategy.hpp"
#include "tune/support.hpp"

namespace kiln::tune::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* here = "p|1|a device|2|driver 3|64|8 units";

/// A search that finds `best` of X to be the fastest of 0 to 39.
KeptRun searched(int best = 20, const std::string& device = here, std::uint64_t seed = 1) {
  KeptRun kept;
  kept.problem = {"blas.gemm", 12, "gemm float", 1024};
  kept.facts = {"cpu", "a vendor", 8, 16, 1 << 19};
  kept.kiln = "0.7";
  kept.system = "Linux";
  kept.date = 1000;
  kept.run.identity = "blas.gemm 12 gemm float m 1024";
  kept.run.device = device;
  kept.run.strategy = "forest";
  kept.run.seed = seed;
  kept.run.space = "X=0..39";
  kept.run.parameters = parameters({"X=0..39"});
  for (std::size_t i = 0; i < 40; ++i) {
    const double off = static_cast<double>(i) - best;
    kept.run.evaluations.push_back({i, {i}, Outcome::of_time(1e-3 * (1 + off * off / 9)), "", {}});
  }
  kept.run.evaluations[3] = {3, {3}, Outcome::of(Failure::build), "no such type", 2.5};
  kept.evaluated = 40;
  return kept;
}

SearchSubject subject(const std::string& device = here) {
  return {{"blas.gemm", 12, "gemm float", 1024}, device, {"cpu", "a vendor", 8, 16, 1 << 19}};
}

class KeptRuns : public ::testing::Test {
 protected:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-kept"));
  LocalStore store_{folder_.path().string()};
};

void expect_equal(const TuningRun& a, const TuningRun& b) {
  EXPECT_EQ(a.identity, b.identity);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.space, b.space);
  ASSERT_EQ(a.evaluations.size(), b.evaluations.size());
  for (std::size_t i = 0; i < a.evaluations.size(); ++i) {
    EXPECT_EQ(a.text(a.evaluations[i]), b.text(b.evaluations[i]));
    EXPECT_EQ(a.evaluations[i].id, b.evaluations[i].id);
    EXPECT_EQ(a.evaluations[i].outcome.time, b.evaluations[i].outcome.time);
    EXPECT_EQ(a.evaluations[i].outcome.failure, b.evaluations[i].outcome.failure);
    EXPECT_EQ(a.evaluations[i].at, b.evaluations[i].at);
  }
}

TEST_F(KeptRuns, come_back_with_their_winner) {
  KeptRun kept = searched();
  EXPECT_FALSE(read_kept_run(kept_json_of(kept)).value().run.winner);
  kept.run.winner = RunWinner{
      {21, 1.25e-3, 2e-3, Decision::play_off, 12, {{21, 1, 12}, {20, 1.01, 9}}}, {21}, 40};
  const std::string json = kept_json_of(kept);
  const auto read = read_kept_run(json).value().run;
  ASSERT_TRUE(read.winner);
  EXPECT_EQ(read.best()->text, "X=21");
  EXPECT_EQ(read.best()->seconds, 1.25e-3);
  EXPECT_EQ(read.winner->ending.standard, 2e-3);
  EXPECT_EQ(read.winner->ending.rounds, 12u);
  ASSERT_EQ(read.winner->ending.finalists.size(), 2u);
  EXPECT_EQ(read.winner->ending.finalists[1].relative, 1.01);
  EXPECT_EQ(read.winner->evaluations, 40u);
  // Positions that no value has.
  auto damaged = json;
  damaged.replace(damaged.find("\"positions\":[21]"), 16, "\"positions\":[99]");
  EXPECT_FALSE(read_kept_run(damaged));
}

TEST_F(KeptRuns, come_back_with_all_that_was_measured) {
  const auto run = read_run(as_bytes(kiln::testing::searched()), "j").value();
  KeptRun kept = searched();
  kept.run = run;
  ASSERT_TRUE(keep_run(store_, kept));
  const auto all = all_kept_runs(store_).value();
  ASSERT_EQ(all.size(), 1u);
  expect_equal(all[0].run, run);
  EXPECT_EQ(all[0].problem, kept.problem);
  EXPECT_EQ(all[0].facts, kept.facts);
  EXPECT_EQ(all[0].evaluated, 100u);
  EXPECT_EQ(all[0].kiln, "0.7");
  EXPECT_EQ(all[0].date, 1000);
  EXPECT_EQ(all[0].run.reasons().size(), run.reasons().size());
  EXPECT_EQ(all[0].run.reasons()[0].message, run.reasons()[0].message);
}

TEST_F(KeptRuns, of_all_drivers_of_a_model_are_one_look_up) {
  ASSERT_TRUE(keep_run(store_, searched()));
  ASSERT_TRUE(keep_run(store_, searched(10, "p|2|a device|2|driver 4|64|8 units")));
  ASSERT_TRUE(keep_run(store_, searched(10, "p|2|another device|2|driver 4|64|8 units")));
  EXPECT_EQ(kept_runs(store_, searched().problem, here).size(), 2u);
  EXPECT_EQ(all_kept_runs(store_).value().size(), 3u);
}

TEST_F(KeptRuns, a_search_that_was_made_again_takes_its_own_place) {
  ASSERT_TRUE(keep_run(store_, searched(20)));
  ASSERT_TRUE(keep_run(store_, searched(5)));
  const auto all = kept_runs(store_, searched().problem, here);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].run.ranked().front()->id, 5u);
}

TEST_F(KeptRuns, are_bounded_and_the_oldest_go_first) {
  for (std::uint64_t seed = 1; seed <= most_kept_runs + 3; ++seed)
    ASSERT_TRUE(keep_run(store_, searched(20, here, seed)));
  const auto all = kept_runs(store_, searched().problem, here);
  ASSERT_EQ(all.size(), most_kept_runs);
  EXPECT_EQ(all.front().run.seed, 4u);
}

TEST(KeptRun, of_a_long_search_holds_the_fastest_and_a_sample_in_their_order) {
  TuningRun run = searched().run;
  run.evaluations.clear();
  for (std::size_t i = 0; i < 1000; ++i)
    run.evaluations.push_back(
        {i, {i % 40}, Outcome::of_time(1 + static_cast<double>(i * 7919 % 1000)), "", {}});
  const auto best = run.ranked().front()->id;
  const auto less = bounded(run, 100);
  ASSERT_EQ(less.evaluations.size(), 100u);
  EXPECT_EQ(less.ranked().front()->id, best);
  EXPECT_EQ(less.ranked()[49]->id, run.ranked()[49]->id) << "half are the fastest";
  for (std::size_t i = 1; i < 100; ++i)
    EXPECT_LT(less.evaluations[i - 1].id, less.evaluations[i].id);
  EXPECT_EQ(bounded(run, 1000).evaluations.size(), 1000u);
}

TEST(KeptRun, tells_nobody_where_its_maker_has_his_files) {
  KeptRun kept = searched();
  kept.run.evaluations[3].message = "/home/me/secret/blur.cl:3: no such type";
  EXPECT_EQ(read_kept_run(kept_json_of(kept)).value().run.evaluations[3].message,
            "blur.cl:3: no such type");
}

TEST(KeptRun, has_an_id_of_its_content) {
  const auto one = read_kept_run(kept_json_of(searched())).value();
  EXPECT_EQ(one.id, read_kept_run(kept_json_of(searched())).value().id);
  EXPECT_NE(one.id, read_kept_run(kept_json_of(searched(19))).value().id);
}

RC_GTEST_PROP(KeptRunBytes, damaged_are_refused_or_sound, ()) {
  std::string json = kept_json_of(searched());
  const auto at = *rc::gen::inRange<std::size_t>(0, json.size());
  json[at] = static_cast<char>(*rc::gen::inRange(32, 127));
  const auto read = read_kept_run(json);
  if (!read) return;
  for (const auto& evaluation : read->run.evaluations) {
    RC_ASSERT(evaluation.positions.size() == read->run.parameters.size());
    (void)read->run.text(evaluation);
  }
}

TEST(KeptRun, of_deep_values_is_refused) {
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  const auto run = read_kept_run("{\"kiln tuning search\":1,\"facts\":" + deep + "}");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code(), Errc::corrupt);
}

TEST(KeptRun, refuses_positions_and_rows_that_cannot_be) {
  const std::string good = kept_json_of(searched());
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"[0,null,", "[0,null,null,"},
                                 {"\"build\",3]", "\"build\",40]"},
                                 {"\"evaluated\":40", "\"evaluated\":\"40\""},
                                 {"\"kiln tuning search\":1", "\"kiln tuning search\":2"}}) {
    std::string bad = good;
    const auto at = bad.find(from);
    ASSERT_NE(at, bad.npos) << from;
    bad.replace(at, from.size(), to);
    const auto read = read_kept_run(bad);
    ASSERT_FALSE(read) << to;
    EXPECT_THAT(read.error().message(), HasSubstr("expected "));
  }
}

TEST(NearestRun, ranks_driver_before_size_before_class_before_device) {
  const KeptRun same = searched();
  KeptRun driver = searched(20, "p|1|a device|2|driver 9|64|8 units"), size = same, kind = same,
          other = searched(20, "p|1|b device|2|driver 3|64|8 units");
  size.problem.size = 4096;
  kind.problem.problem_class = "gemm float TRANS_A";
  const auto of = [](const KeptRun& kept) { return distance(kept, subject()).value(); };
  EXPECT_EQ(of(same), 0);
  EXPECT_LT(of(same), of(driver));
  EXPECT_LT(of(driver), of(size));
  EXPECT_LT(of(size), of(kind));
  EXPECT_LT(of(kind), of(other));
  KeptRun larger = other;
  larger.facts.compute_units = 64;
  EXPECT_LT(of(other), of(larger));
  KeptRun stranger = other;
  stranger.facts.vendor = "another vendor";
  EXPECT_LT(of(other), of(stranger));
  KeptRun doubles = same;
  doubles.problem.problem_class = "gemm double";
  EXPECT_LT(of(kind), of(doubles));
}

TEST(NearestRun, says_nothing_of_other_families_types_of_device_and_kernels) {
  KeptRun family = searched(), type = searched(), file = searched();
  family.problem.family = "blas.mv_n";
  type.facts.type = "gpu";
  EXPECT_FALSE(distance(family, subject()));
  EXPECT_FALSE(distance(type, subject()));
  file.problem = {"spec", 0, "blur 1234", 100};
  SearchSubject edited = subject();
  edited.problem = {"spec", 0, "blur 5678", 100};
  EXPECT_TRUE(distance(file, edited)) << "the same kernel before it was edited";
  edited.problem.problem_class = "other 5678";
  EXPECT_FALSE(distance(file, edited));
}

TEST(NearestRun, makes_a_search_find_the_best_at_once) {
  const auto target = space({"X=0..39"});
  KeptRun far = searched(5);
  far.problem.size = 8192;
  const auto start = nearest_start({far, searched(20)}, subject(), target, 1);
  ASSERT_TRUE(start);
  const auto strategy = make_strategy("", target, 1, start->transfer).value();
  EXPECT_EQ(strategy->ask(), 20u);
  const auto other = nearest_start({far}, subject(), target, 1);
  ASSERT_TRUE(other);
  EXPECT_THAT(other->text, HasSubstr("40 evaluations, size 8192"));
}

TEST(NearestRun, is_none_where_spaces_have_nothing_in_common_or_another_is_asked_for) {
  EXPECT_FALSE(nearest_start({searched()}, subject(), space({"Y=1,2"}), 1));
  EXPECT_FALSE(nearest_start({}, subject(), space({"X=0..39"}), 1));
  KeptRun named = searched();
  named.id = "abcd";
  EXPECT_FALSE(nearest_start({named}, subject(), space({"X=0..39"}), 1, "ef01"));
  EXPECT_TRUE(nearest_start({named}, subject(), space({"X=0..39"}), 1, "abcd"));
}

}  // namespace
}  // namespace kiln::tune::testing
