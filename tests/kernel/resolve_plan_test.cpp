#include <thread>

#include "kernel/support.hpp"
#include "store/canonical.hpp"

namespace kiln::testing {
namespace {

using ResolvePlanTest = StoreFixture;

Resolver::PlanRequest request(std::int64_t mesh, std::uint32_t schema = 1) {
  CanonicalWriter writer("test plan", 1);
  writer.integer("mesh", mesh);
  return {writer.view(), schema, "colouring"};
}

/// A plan of `count` numbers i * factor; counts how often it was made.
struct Maker {
  std::size_t count;
  std::uint32_t factor = 3;
  int made = 0;
  PlanPtr operator()() {
    ++made;
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i) * factor;
    return PlanBuilder().add<std::uint32_t>("numbers", numbers).build();
  }
};

TEST_F(ResolvePlanTest, a_plan_of_100_MB_is_made_once_for_all_processes) {
  constexpr std::size_t count = 25'000'000;
  Maker maker{count};
  resolver()->resolve_plan(request(1), std::ref(maker));
  EXPECT_EQ(maker.made, 1);

  auto second = resolver();
  Explanation explanation;
  const auto plan = second->resolve_plan(
      request(1), []() -> PlanPtr { throw Error(Errc::internal, "made again"); }, &explanation);
  EXPECT_TRUE(step_of(explanation, second->store()->name()).answered) << text_of(explanation);
  const auto numbers = plan->array<std::uint32_t>("numbers");
  ASSERT_EQ(numbers.size(), count);
  for (std::size_t i = 0; i < count; i += 4099) ASSERT_EQ(numbers[i], i * 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0u);
}

TEST_F(ResolvePlanTest, memory_answers_while_somebody_holds_the_plan) {
  auto spine = resolver();
  Maker maker{100};
  const auto held = spine->resolve_plan(request(1), std::ref(maker));
  Explanation explanation;
  EXPECT_EQ(spine->resolve_plan(request(1), std::ref(maker), &explanation), held);
  EXPECT_EQ(explanation.steps.size(), 1u);
  EXPECT_EQ(maker.made, 1);
}

TEST_F(ResolvePlanTest, without_a_store_a_plan_goes_with_its_last_holder) {
  Resolver spine(nullptr);
  Maker maker{100};
  spine.resolve_plan(request(1), std::ref(maker));
  spine.resolve_plan(request(1), std::ref(maker));
  EXPECT_EQ(maker.made, 2);
}

TEST_F(ResolvePlanTest, another_request_or_schema_is_another_plan) {
  auto spine = resolver();
  Maker maker{100};
  spine->resolve_plan(request(1), std::ref(maker));
  spine->resolve_plan(request(2), std::ref(maker));
  EXPECT_EQ(maker.made, 2);
  Explanation explanation;
  resolver()->resolve_plan(request(1, 2), std::ref(maker), &explanation);
  EXPECT_EQ(maker.made, 3);
  EXPECT_EQ(step_of(explanation, spine->store()->name()).reason, "another schema");
}

TEST_F(ResolvePlanTest, a_stored_block_that_is_no_plan_is_made_anew) {
  {
    auto spine = resolver();
    const auto wanted = request(1);
    value_or_throw(spine->store()->put(Kind::plan, key_of(wanted.canonical), wanted.canonical,
                                       as_bytes("nonsense"), {1, "colouring", "", 0}));
  }
  Maker maker{100};
  const auto plan = resolver()->resolve_plan(request(1), std::ref(maker));
  EXPECT_EQ(plan->array<std::uint32_t>("numbers")[99], 297u);
  // And replaced: the next process finds it.
  Maker unused{1};
  resolver()->resolve_plan(request(1), std::ref(unused));
  EXPECT_EQ(unused.made, 0);
}

TEST_F(ResolvePlanTest, a_maker_that_fails_fails_only_this_call) {
  auto spine = resolver();
  const auto failing = []() -> PlanPtr { throw Error(Errc::io, "no mesh"); };
  EXPECT_THROW(spine->resolve_plan(request(1), failing), Error);
  EXPECT_THROW(spine->resolve_plan(request(1), []() -> PlanPtr { return nullptr; }), Error);
  Maker maker{10};
  EXPECT_NE(spine->resolve_plan(request(1), std::ref(maker)), nullptr);
}

TEST_F(ResolvePlanTest, threads_that_ask_for_one_plan_share_one_making) {
  auto spine = resolver();
  std::atomic<int> made{0};
  std::vector<PlanPtr> plans(8);
  {
    std::vector<std::jthread> threads;
    for (auto& plan : plans)
      threads.emplace_back([&] {
        plan = spine->resolve_plan(request(1), [&] {
          ++made;
          return Maker{1000}();
        });
      });
  }
  EXPECT_EQ(made, 1);
  for (const auto& plan : plans) EXPECT_EQ(plan->array<std::uint32_t>("numbers")[1], 3u);
}

}  // namespace
}  // namespace kiln::testing
