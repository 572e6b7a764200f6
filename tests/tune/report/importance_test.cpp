#include <gtest/gtest.h>

#include <cmath>

#include "journal_support.hpp"
#include "tune/report/run.hpp"

namespace kiln::tune {
namespace {

using namespace testing;

/// A search that measured all of a space whose time is e to the `exponent`.
template <class Exponent>
TuningRun run_of(const SearchSpace& made, Exponent exponent) {
  std::string text = head;
  for (ConfigurationId id = 0; id < made.size(); ++id) {
    const auto x = *made.value(id, 0).to_double(), y = *made.value(id, 1).to_double();
    const Report report{Outcome::of_time(std::exp(exponent(x, y))), ""};
    text += dumped(json_of_result(id, json_of_configuration(made, id), report.outcome, "")) + "\n";
  }
  return read_run(as_bytes(text), "j").value();
}

const Importance::Share& share_of(const Importance& importance, std::size_t parameter) {
  for (const auto& share : importance.shares)
    if (share.parameter == parameter) return share;
  throw std::logic_error("no such parameter");
}

TEST(Importance, is_all_of_the_only_parameter_that_matters) {
  const auto run = run_of(space({"X=1..8", "Y=1..8"}), [](double x, double) { return x; });
  const auto found = importance_of(run).value();
  EXPECT_EQ(found.shares[0].parameter, 0u);
  EXPECT_GT(found.shares[0].alone, 0.93);
  EXPECT_LT(share_of(found, 1).with_others, 0.03);
  EXPECT_GT(found.explained, 0.9);
  EXPECT_EQ(found.measured, 64u);
}

TEST(Importance, is_split_as_the_variances_of_a_sum_are) {
  // Variances 4 : 1.
  const auto run =
      run_of(space({"X=1..8", "Y=1..8"}), [](double x, double y) { return 2 * x + y; });
  const auto found = importance_of(run).value();
  EXPECT_NEAR(share_of(found, 0).alone, 0.8, 0.08);
  EXPECT_NEAR(share_of(found, 1).alone, 0.2, 0.08);
}

TEST(Importance, of_parameters_that_matter_only_together_shows_with_the_others) {
  const auto run = run_of(space({"X=0,1", "Y=0,1", "Z=1..16"}),
                          [](double x, double y) { return x == y ? 1.0 : 3.0; });
  const auto found = importance_of(run).value();
  for (const std::size_t p : {0u, 1u}) {
    EXPECT_LT(share_of(found, p).alone, 0.15) << p;
    EXPECT_GT(share_of(found, p).with_others, 0.8) << p;
  }
}

TEST(Importance, of_noise_explains_nothing) {
  Random random(5);
  const auto run =
      run_of(space({"X=1..12", "Y=1..12"}), [&](double, double) { return random.unit(); });
  EXPECT_LT(importance_of(run).value().explained, 0.2);
}

TEST(Importance, takes_texts_and_is_the_same_every_time) {
  const auto run = read_run(as_bytes(journal_of_valley()), "j").value();
  const auto once = importance_of(run).value(), again = importance_of(run).value();
  ASSERT_EQ(once.shares.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(once.shares[i].alone, again.shares[i].alone);
    EXPECT_LE(once.shares[i].alone, once.shares[i].with_others);
  }
}

TEST(Importance, needs_enough_different_times) {
  const auto same = run_of(space({"X=1..8", "Y=1..8"}), [](double, double) { return 1; });
  EXPECT_FALSE(importance_of(same));
  const auto few = run_of(space({"X=1..4", "Y=1..4"}), [](double x, double) { return x; });
  EXPECT_FALSE(importance_of(few));
}

}  // namespace
}  // namespace kiln::tune
