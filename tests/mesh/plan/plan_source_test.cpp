#include "mesh/plan/plan_source.hpp"

#include <thread>

#include "kernel/support.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

class PlanSourceTest : public kiln::testing::StoreFixture {
 protected:
  PlanSourceTest() {
    for (std::int32_t e = 0; e < 1000; ++e) values_.insert(values_.end(), {e * 37 % 500, e % 500});
    input_.set_size = input_.size = 1000;
    input_.block_size = 64;
    input_.scheme = Scheme::staged;
    input_.maps = {{values_, 2, 500, 1, 0, "links"}};
    input_.pairs = {{0, {0, 1}, 8, true}};
    input_.conflicts = {{{input_.pairs[0]}}};
  }
  /// Which layer answered: "make" where the plan was built.
  static std::string layer_of(PlanSource& source, const PlanInput& input) {
    Explanation explanation;
    source.resolve(input, &explanation);
    for (const auto& step : explanation.steps)
      if (step.answered) return step.layer;
    return "none";
  }
  std::vector<std::int32_t> values_;
  PlanInput input_;
};

TEST_F(PlanSourceTest, another_process_with_an_equal_mesh_takes_the_plan_from_the_store) {
  const auto first = resolver();
  PlanSource one(*first);
  const auto made = one.resolve(input_);
  first->finish();  // as at the end of its process
  const auto second = resolver();
  PlanSource other(*second);
  const auto copy = values_;
  PlanInput equal = input_;
  equal.maps[0] = {copy, 2, 500, 77, 3, "other"};
  EXPECT_EQ(layer_of(other, equal), second->store()->name());
  const auto plan = other.resolve(equal);
  EXPECT_TRUE(std::ranges::equal(plan->block(), made->block()));
  EXPECT_EQ(check_plan(equal, MeshPlan(plan)), "");
}

TEST_F(PlanSourceTest, the_store_keeps_where_late_colours_begin) {
  input_.scheme = Scheme::permuted;
  input_.first_late = 900;
  const auto first = resolver();
  PlanSource one(*first);
  const auto made = one.resolve(input_);
  PlanInput all = input_;
  all.first_late = 0;
  EXPECT_FALSE(std::ranges::equal(one.resolve(all)->block(), made->block()));
  first->finish();
  const auto second = resolver();
  PlanSource other(*second);
  EXPECT_EQ(layer_of(other, input_), second->store()->name());
  const auto plan = other.resolve(input_);
  EXPECT_TRUE(std::ranges::equal(plan->block(), made->block()));
  EXPECT_EQ(MeshPlan(plan).first_late_colour(), MeshPlan(made).first_late_colour());
  EXPECT_GE(MeshPlan(plan).first_late_colour(), 1u);
  EXPECT_EQ(check_plan(input_, MeshPlan(plan)), "");
}

TEST_F(PlanSourceTest, a_plan_that_is_held_is_found_without_a_digest) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  EXPECT_EQ(source.find(input_), nullptr);
  auto plan = source.resolve(input_);
  EXPECT_EQ(source.find(input_), plan);
  EXPECT_EQ(source.resolve(input_), plan);
  EXPECT_EQ(source.digests().computed(), 1u);
  plan.reset();
  EXPECT_EQ(source.find(input_), nullptr);
  plan = source.resolve(input_);
  EXPECT_EQ(source.find(input_), plan);
  EXPECT_EQ(source.digests().computed(), 1u);
}

TEST_F(PlanSourceTest, maps_of_equal_values_share_a_plan_within_a_process) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  const auto plan = source.resolve(input_);
  PlanInput equal = input_;
  equal.maps[0].identity = 2;
  EXPECT_EQ(source.resolve(equal), plan);
}

TEST_F(PlanSourceTest, new_values_under_a_new_version_are_another_plan) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  const auto before = source.resolve(input_);
  values_[0] = 499;
  input_.maps[0].version = 1;
  const auto after = source.resolve(input_);
  EXPECT_NE(before, after);
  EXPECT_EQ(check_plan(input_, MeshPlan(after)), "");
}

// PyOP2 gave the second subset the plan of the first.
TEST_F(PlanSourceTest, complementary_subsets_have_plans_of_their_own) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  std::vector<std::int32_t> even, odd;
  for (std::int32_t e = 0; e < 1000; ++e) (e % 2 == 0 ? even : odd).push_back(e);
  input_.size = 500;
  input_.subset = even;
  input_.subset_identity = 10;
  const auto first = source.resolve(input_);
  input_.subset = odd;
  input_.subset_identity = 11;
  const auto second = source.resolve(input_);
  EXPECT_NE(first, second);
  EXPECT_EQ(check_plan(input_, MeshPlan(second)), "");
}

// PyOP2's nshared was that of the first type that came.
TEST_F(PlanSourceTest, a_wider_type_has_a_plan_with_more_local_memory) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  const MeshPlan narrow(source.resolve(input_));
  input_.pairs[0].element_bytes = 32;
  const MeshPlan wide(source.resolve(input_));
  EXPECT_GT(wide.nshared(), 3 * narrow.nshared());
}

TEST_F(PlanSourceTest, threads_that_ask_for_one_plan_get_one_plan) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  std::vector<PlanPtr> plans(8);
  {
    std::vector<std::jthread> threads;
    for (auto& plan : plans) threads.emplace_back([&] { plan = source.resolve(input_); });
  }
  for (const auto& plan : plans) EXPECT_EQ(plan, plans[0]);
}

TEST_F(PlanSourceTest, what_is_forgotten_leaves_no_names) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  const auto plan = source.resolve(input_);
  EXPECT_EQ(source.names(), 1u);
  source.forget(2);
  EXPECT_EQ(source.names(), 1u);
  source.forget(1);
  EXPECT_EQ(source.names(), 0u);
  EXPECT_EQ(source.find(input_), nullptr);
}

TEST_F(PlanSourceTest, names_are_bounded) {
  Resolver spine(nullptr);
  PlanSource source(spine);
  input_.size = 10;
  for (std::uint64_t version = 0; version < PlanSource::most_names + 5; ++version) {
    input_.maps[0].version = version;
    source.resolve(input_);
  }
  EXPECT_EQ(source.names(), PlanSource::most_names);
}

TEST_F(PlanSourceTest, a_bad_map_is_an_error_each_time_and_leaves_nothing) {
  const auto spine = resolver();
  PlanSource source(*spine);
  values_[500] = 500;
  for (int i = 0; i < 2; ++i) EXPECT_THROW(source.resolve(input_), Error);
  EXPECT_EQ(source.names(), 0u);
  input_.maps[0].values = std::span(values_).first(100);
  EXPECT_THROW(source.resolve(input_), Error);
}

}  // namespace
}  // namespace kiln::mesh
