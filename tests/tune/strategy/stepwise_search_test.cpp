#include "kiln/tune/stepwise_search.hpp"

#include <gmock/gmock.h>

#include <set>

#include "tune/strategy/strategy.hpp"

namespace kiln::tune {
namespace {

using Parameters = std::vector<StepwiseSearch::Parameter>;
using Positions = StepwiseSearch::Positions;

Parameters parameters() {
  return {{"X", {4, 8, 16, 32}}, {"Y", {1, 2, 4}}, {"KIND", {"row", "column"}}};
}

/// Best at X=16, Y=2, KIND=row.
double cost(const Positions& at) {
  const double x = at[0] - 2.0, y = at[1] - 1.0;
  return 1 + x * x + 0.5 * y * y + 0.1 * at[2];
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.message();
  }
  return "";
}

TEST(StepwiseSearch, names_its_methods_as_the_command_does) {
  std::vector<std::string> names, known;
  for (const char* name : method_names) names.emplace_back(name);
  for (const auto& info : strategies()) known.emplace_back(info.name);
  EXPECT_EQ(names, known);
  EXPECT_STREQ(name_of(Method::multi_start), "multi-start");
  EXPECT_STREQ(name_of(Method::exhaustive), "exhaustive");
}

TEST(StepwiseSearch, every_method_asks_for_each_configuration_once) {
  for (std::size_t method = 0; method < std::size(method_names); ++method) {
    StepwiseSearch search(parameters(), {"X * Y <= 64"},
                          {.method = static_cast<Method>(method), .seed = 3});
    EXPECT_EQ(search.size(), 22u);
    std::set<StepwiseSearch::Id> asked;
    while (const auto id = search.ask()) {
      EXPECT_TRUE(asked.insert(*id).second) << method_names[method];
      const Positions at = search.positions(*id);
      EXPECT_EQ(search.find(at), id);
      search.tell(*id, at[1] == 2 ? std::nullopt : std::optional(cost(at)));
    }
    EXPECT_EQ(asked.size(), search.size()) << method_names[method];
  }
}

TEST(StepwiseSearch, is_the_same_for_the_same_seed) {
  const auto order = [](std::uint64_t seed) {
    StepwiseSearch search(parameters(), {}, {.seed = seed});
    std::vector<StepwiseSearch::Id> asked;
    while (const auto id = search.ask()) {
      asked.push_back(*id);
      search.tell(*id, cost(search.positions(*id)));
    }
    return asked;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(StepwiseSearch, of_a_list_has_its_configurations_in_its_order) {
  const std::vector<Positions> listed = {{3, 0, 1}, {0, 0, 0}, {2, 1, 0}};
  StepwiseSearch search = StepwiseSearch::of(parameters(), listed, {.method = Method::exhaustive});
  for (std::size_t id = 0; id < listed.size(); ++id) EXPECT_EQ(search.positions(id), listed[id]);
  EXPECT_EQ(search.find({1, 0, 0}), std::nullopt);
  EXPECT_EQ(search.find({1, 0}), std::nullopt);
  EXPECT_EQ(search.ask(), 0u);
  search.tell(1, 2.0);  // measured before
  EXPECT_EQ(search.ask(), 2u);
  EXPECT_EQ(search.ask(), std::nullopt);
}

TEST(StepwiseSearch, starts_from_another_search) {
  StepwiseSearch known(parameters(), {}, {});
  for (StepwiseSearch::Id id = 0; id < known.size(); ++id)
    known.tell(id, cost(known.positions(id)));
  Parameters more = parameters();
  more[0].values = {16, 64};
  StepwiseSearch search(more, {}, {.seed = 1, .start_from = &known});
  EXPECT_EQ(search.positions(search.ask().value()), (Positions{0, 1, 0}));
  const StepwiseSearch nothing(parameters(), {}, {});
  EXPECT_THAT(refusal([&] { StepwiseSearch(parameters(), {}, {.start_from = &nothing}); }),
              testing::HasSubstr("no configuration with a time"));
}

TEST(StepwiseSearch, refuses_what_is_none) {
  StepwiseSearch search(parameters(), {}, {});
  EXPECT_THAT(refusal([&] { search.positions(24); }), testing::HasSubstr("below 24"));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    EXPECT_THAT(refusal([&] { search.tell(0, bad); }), testing::HasSubstr("positive number"));
  EXPECT_NE(refusal([] { StepwiseSearch({}, {}, {}); }), "");
  EXPECT_NE(refusal([] { StepwiseSearch(parameters(), {"Z > 1"}, {}); }), "");
  EXPECT_NE(refusal([] { StepwiseSearch(parameters(), {"X > 99"}, {}); }), "");
  const std::vector<Positions> outside = {{4, 0, 0}}, twice = {{0, 0, 0}, {0, 0, 0}};
  EXPECT_NE(refusal([&] { StepwiseSearch::of(parameters(), outside, {}); }), "");
  EXPECT_NE(refusal([&] { StepwiseSearch::of(parameters(), twice, {}); }), "");
}

}  // namespace
}  // namespace kiln::tune
