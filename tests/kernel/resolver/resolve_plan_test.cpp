#include <latch>
#include <thread>

#include "kernel/plan_builder.hpp"
#include "kernel/support.hpp"
#include "store/key/canonical.hpp"
#include "store/local/local_store.hpp"

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
  spine->finish();
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

/// A store whose writes wait until they may go on.
class HeldStore final : public WrappedStore {
 public:
  HeldStore(std::unique_ptr<Layer> store, std::shared_ptr<std::latch> open)
      : WrappedStore(std::move(store)), open_(std::move(open)) {}
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override {
    open_->wait();
    return WrappedStore::put(kind, key, canonical, content, metadata);
  }

 private:
  std::shared_ptr<std::latch> open_;
};

TEST_F(ResolvePlanTest, nobody_waits_until_the_store_has_a_plan) {
  const auto open = std::make_shared<std::latch>(1);
  Maker maker{1000};
  {
    Resolver spine(std::make_unique<HeldStore>(open_local_store(store_folder()), open));
    spine.resolve_plan(request(1), std::ref(maker));
    // Only the write holds it now.
    Explanation explanation;
    const auto again = spine.resolve_plan(request(1), std::ref(maker), &explanation);
    EXPECT_TRUE(step_of(explanation, "memory").answered);
    EXPECT_EQ(again->array<std::uint32_t>("numbers")[2], 6u);
    open->count_down();
  }
  resolver()->resolve_plan(request(1), std::ref(maker));
  EXPECT_EQ(maker.made, 1) << "it was written before its Resolver went";
}

TEST_F(ResolvePlanTest, a_plan_that_cannot_be_kept_is_told) {
  std::vector<std::string> lines;
  auto spine = resolver();
  auto wanted = request(1);
  wanted.label = std::string(LocalStore::largest_text + 1, 'x');
  set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  Maker maker{10};
  spine->resolve_plan(wanted, std::ref(maker));
  spine->finish();
  set_log_sink({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("is not kept"), std::string::npos) << lines[0];
}

TEST_F(ResolvePlanTest, a_store_that_keeps_nothing_is_told_once) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel level, std::string_view line) {
    if (level == LogLevel::warning) lines.emplace_back(line);
  });
  {
    Resolver spine(std::make_unique<LocalStore>("/dev/null"));
    Maker maker{10};
    for (const int number : {1, 2, 3}) spine.resolve_plan(request(number), std::ref(maker));
    spine.finish();
  }
  set_log_sink({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("the store in /dev/null is unusable"), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace kiln::testing
