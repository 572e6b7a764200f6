#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/naive_plan.hpp"
#include "mesh/plan/random_input.hpp"

namespace kiln::mesh {
namespace {

using testing::NaivePlan;
using testing::random_input;
using testing::random_scheme;

bool equal(const PlanPtr& a, const PlanPtr& b) {
  return std::ranges::equal(a->block(), b->block());
}

RC_GTEST_PROP(BuildPlan, makes_what_the_definitions_say, ()) {
  const auto owned = random_input(random_scheme());
  const MeshPlan plan(build_plan(owned->input));
  RC_ASSERT(NaivePlan(owned->input).difference(plan) == "");
  RC_ASSERT(check_plan(owned->input, plan) == "");
  RC_CLASSIFY(plan.ncolors() > 8, "more than 8 colours");
  RC_CLASSIFY(plan.ncolors() > 72, "more than 72 colours");
}

RC_GTEST_PROP(BuildPlan, gives_late_elements_none_of_the_colours_before_the_first_late_one, ()) {
  const auto owned = random_input(Scheme::permuted);
  PlanInput& input = owned->input;
  RC_PRE(input.size > 1);
  input.first_late = testing::pick(1, input.size - 1);
  const auto made = build_plan(input);
  RC_ASSERT(equal(made, build_plan(input)));
  const MeshPlan plan(made);
  const std::size_t first = plan.first_late_colour();
  PlanInput early = input;
  early.size = input.first_late;
  early.first_late = 0;
  const MeshPlan alone(build_plan(early));
  const std::size_t half = std::max<std::size_t>(1, alone.ncolors() / 2);
  RC_ASSERT(first >= 1 && first <= half);
  RC_ASSERT(plan.ncolors() > first);
  RC_ASSERT(check_plan(input, plan) == "");
  RC_ASSERT(NaivePlan(input).difference(plan) == "");
  // What runs before others' elements have come is what the early ones would begin with.
  const auto end = static_cast<std::size_t>(plan.color_offs[first]);
  RC_ASSERT(end == static_cast<std::size_t>(alone.color_offs[half]));
  std::vector<std::int32_t> early_ones(plan.order.begin(), plan.order.begin() + end),
      first_ones(alone.order.begin(), alone.order.begin() + end);
  std::ranges::sort(early_ones);
  std::ranges::sort(first_ones);
  RC_ASSERT(early_ones == first_ones);
  RC_CLASSIFY(plan.ncolors() > first + 8, "more than 8 late colours");
  RC_CLASSIFY(plan.ncolors() > first + 72, "more than 72 late colours");
}

RC_GTEST_PROP(BuildPlan, makes_the_same_bytes_on_any_number_of_threads, ()) {
  const auto owned = random_input(random_scheme());
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 5);
  const auto on = [&](int threads) {
    return tbb::task_arena(threads).execute([&] { return build_plan(owned->input); });
  };
  const auto one = on(1);
  RC_ASSERT(equal(one, on(2)));
  RC_ASSERT(equal(one, on(5)));
}

RC_GTEST_PROP(BuildPlan, its_plans_survive_their_block, ()) {
  const auto owned = random_input(random_scheme());
  const auto plan = build_plan(owned->input);
  const auto again = Plan::from_block(plan->block());
  RC_ASSERT(again.has_value());
  RC_ASSERT(check_plan(owned->input, MeshPlan(*again)) == "");
}

/// A chain: element e reaches targets e and e + 1.
struct Chain {
  explicit Chain(std::int32_t elements) {
    for (std::int32_t e = 0; e < elements; ++e) values.insert(values.end(), {e, e + 1});
    input.set_size = input.size = static_cast<std::size_t>(elements);
    input.block_size = 4;
    input.scheme = Scheme::staged;
    input.maps = {{values, 2, input.size + 1, 1, 0, "links"}};
    input.pairs = {{0, {0, 1}, 8, true}};
    input.conflicts = {{{input.pairs[0]}}};
  }
  Chain(const Chain&) = delete;
  std::vector<std::int32_t> values;
  PlanInput input;
};

// PyOP2 wrote loc_map's rows in the order of sorted components and read them in the arguments'.
TEST(BuildPlan, descending_components_keep_the_order_of_the_arguments) {
  Chain chain(10);
  chain.input.pairs = {{0, {1, 0}, 8, true}};
  const MeshPlan plan(build_plan(chain.input));
  for (std::size_t i = 0; i < 10; ++i)
    for (const std::size_t slot : {0, 1}) {
      const auto begin = static_cast<std::size_t>(plan.ind_offs[i / 4]);
      EXPECT_EQ(plan.ind_map[begin + plan.loc(0, slot, i)], static_cast<int>(i + 1 - slot));
    }
}

TEST(BuildPlan, pairs_of_a_map_with_the_same_components_share_a_list_and_its_rows) {
  Chain chain(10);
  chain.input.pairs = {{0, {0, 1}, 8, true}, {0, {1}, 8, true}, {0, {1, 0}, 32, true}};
  const MeshPlan plan(build_plan(chain.input));
  EXPECT_EQ(plan.loc_row(0, 0), plan.loc_row(2, 1));
  EXPECT_EQ(plan.loc_row(0, 1), plan.loc_row(2, 0));
  EXPECT_NE(plan.loc_row(0, 1), plan.loc_row(1, 0));
  EXPECT_EQ(plan.ind_offs[0], plan.ind_offs[2]);
  EXPECT_EQ(check_plan(chain.input, plan), "");
  // 5 and 4 targets of 8 bytes, each slice rounded to 16, and 5 of 32.
  EXPECT_EQ(plan.nshared(), 48u + 32u + 160u);
}

// PyOP2 kept int16 whatever the block: positions above 32767 became negative.
TEST(BuildPlan, a_block_that_stages_more_than_16_bits_can_count_has_wider_places) {
  Chain chain(70000);
  chain.input.block_size = 65535;  // two components: up to 65536 targets here, 131070 for sure
  EXPECT_EQ(loc_bytes_of(chain.input), 4u);
  chain.input.block_size = 100000;
  const MeshPlan plan(build_plan(chain.input));
  ASSERT_EQ(plan.loc_bytes(), 4u);
  EXPECT_EQ(plan.loc(0, 1, 69999), 70000u);
  EXPECT_EQ(check_plan(chain.input, plan), "");
  chain.input.block_size = 32768;
  const MeshPlan narrow(build_plan(chain.input));
  ASSERT_EQ(narrow.loc_bytes(), 2u);
  EXPECT_EQ(narrow.loc(0, 1, 32767), 32768u);
  EXPECT_EQ(check_plan(chain.input, narrow), "");
}

// PyOP2 cleared a work array of the whole target set for each block: here 20,000 times.
TEST(BuildPlan, many_blocks_on_a_large_target_set_clear_only_what_they_touched) {
  std::vector<std::int32_t> values;
  for (std::int32_t e = 0; e < 200000; ++e) values.push_back(e * 97 % 20011);
  PlanInput input;
  input.set_size = input.size = values.size();
  input.block_size = 10;
  input.scheme = Scheme::staged;
  for (const std::size_t targets : {20011u, 20011000u}) {
    input.maps = {{values, 1, targets, 1, 0, {}}};
    input.pairs = {{0, {0}, 8, true}};
    input.conflicts = {{{input.pairs[0]}}};
    PlanWork work;
    const MeshPlan plan(build_plan(input, &work));
    EXPECT_EQ(plan.nblocks(), 20000u);
    EXPECT_EQ(check_plan(input, plan), "");
    // Each target of a block once.
    EXPECT_EQ(work.cleared, plan.ind_map.size());
    EXPECT_EQ(work.cleared, 200000u);
    // Where no list serves the conflict, once for each element that reaches it.
    input.pairs[0].staged = false;
    EXPECT_EQ(check_plan(input, MeshPlan(build_plan(input, &work))), "");
    EXPECT_EQ(work.cleared, 200000u);
  }
}

// PyOP2's key took two subsets of one size for one.
TEST(BuildPlan, elements_of_a_subset_come_from_its_list) {
  Chain chain(8);
  const std::vector<std::int32_t> odd{1, 3, 5, 7}, front{0, 1, 2, 3};
  chain.input.size = 4;
  chain.input.scheme = Scheme::permuted;
  chain.input.subset = odd;
  EXPECT_EQ(MeshPlan(build_plan(chain.input)).ncolors(), 1u);
  chain.input.subset = front;
  EXPECT_EQ(MeshPlan(build_plan(chain.input)).ncolors(), 2u);
}

TEST(BuildPlan, an_empty_part_has_no_blocks_and_no_colours) {
  Chain chain(8);
  chain.input.size = 0;
  for (const auto scheme : {Scheme::blocks, Scheme::staged, Scheme::permuted}) {
    chain.input.scheme = scheme;
    const MeshPlan plan(build_plan(chain.input));
    EXPECT_EQ(plan.ncolors(), 0u);
    EXPECT_EQ(check_plan(chain.input, plan), "");
  }
}

TEST(BuildPlan, without_conflicts_late_elements_have_the_second_colour) {
  Chain chain(9);
  chain.input.conflicts.clear();
  chain.input.scheme = Scheme::permuted;
  chain.input.first_late = 7;
  const MeshPlan plan(build_plan(chain.input));
  EXPECT_EQ(plan.first_late_colour(), 1u);
  EXPECT_EQ(std::vector(plan.color_offs.begin(), plan.color_offs.end()), (std::vector{0, 7, 9}));
  chain.input.first_late = 9;
  EXPECT_EQ(MeshPlan(build_plan(chain.input)).ncolors(), 1u);
}

// First-fit begins anew in each column where the border of a part is crooked; aligned, what lies
// side by side has one colour.
TEST(BuildPlan, aligns_the_colours_of_columns_that_begin_in_different_rows) {
  constexpr std::size_t across = 64, down = 64;
  std::vector<std::int32_t> ends;  // of edges down, row by row
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t row = 0; row + 1 < down; ++row)
    for (std::size_t column = 0; column < across; ++column) {
      if (row < column * 7 % 5) continue;
      ends.push_back(static_cast<std::int32_t>(row * across + column));
      ends.push_back(static_cast<std::int32_t>((row + 1) * across + column));
      places.emplace_back(row, column);
    }
  // Late: two elements that share a target, of their own.
  const auto own = static_cast<std::int32_t>(across * down);
  ends.insert(ends.end(), {own, own, own, own});
  PlanInput input;
  input.set_size = input.size = ends.size() / 2;
  input.first_late = places.size();
  input.scheme = Scheme::permuted;
  input.maps = {{ends, 2, across * down + 1, 1, 0, {}}};
  input.pairs = {{0, {0, 1}, 8, true}};
  input.conflicts = {{{input.pairs[0]}}};
  std::vector<Columns> conflicts = conflicts_of(input);
  std::vector<std::int32_t> colours;
  const auto unlike = [&] {
    std::size_t count = 0;
    for (std::size_t e = 1; e < places.size(); ++e)
      if (places[e].first == places[e - 1].first && colours[e] != colours[e - 1]) ++count;
    return count;
  };
  for (const auto& [row, column] : places)
    colours.push_back(static_cast<std::int32_t>((row - column * 7 % 5) % 2));
  EXPECT_GT(unlike(), places.size() / 4);
  colours.insert(colours.end(), {2, 3});
  align_colours(input, conflicts, 0, 2, colours);
  // At most one in a row: its last element votes with the next one's first, too.
  EXPECT_LT(unlike(), down);
  EXPECT_EQ(colours.back(), 3);
}

TEST(BuildPlan, without_conflicts_all_have_one_colour) {
  Chain chain(9);
  chain.input.conflicts.clear();
  const MeshPlan plan(build_plan(chain.input));
  EXPECT_EQ(plan.ncolors(), 1u);
  EXPECT_EQ(std::vector(plan.nthrcol.begin(), plan.nthrcol.end()), (std::vector{1, 1, 1}));
}

TEST(BuildPlan, as_many_elements_at_one_target_take_as_many_colours) {
  const std::vector<std::int32_t> values(500, 3);
  PlanInput input;
  input.set_size = input.size = 500;
  input.block_size = 200;
  input.maps = {{values, 1, 4, 1, 0, {}}};
  input.pairs = {{0, {0}, 8, true}};
  input.conflicts = {{{input.pairs[0]}}};
  input.scheme = Scheme::permuted;
  EXPECT_EQ(MeshPlan(build_plan(input)).ncolors(), 500u);
  input.first_late = 300;
  const MeshPlan late(build_plan(input));
  EXPECT_EQ(late.first_late_colour(), 150u);
  EXPECT_EQ(late.ncolors(), 500u);
  EXPECT_EQ(check_plan(input, late), "");
  input.first_late = 0;
  input.scheme = Scheme::staged;
  const MeshPlan plan(build_plan(input));
  EXPECT_EQ(plan.ncolors(), 3u);
  EXPECT_EQ(plan.nthrcol[0], 200);
  EXPECT_EQ(check_plan(input, plan), "");
}

std::string message_of(const PlanInput& input) {
  try {
    build_plan(input);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.message();
  }
  return "accepted";
}

TEST(BuildPlan, a_value_outside_the_target_set_is_named_by_map_row_and_component) {
  for (const auto scheme : {Scheme::blocks, Scheme::staged, Scheme::permuted})
    for (const bool staged : {true, false}) {
      Chain chain(5000);
      chain.input.scheme = scheme;
      chain.input.pairs[0].staged = staged;
      chain.values[2 * 4001 + 1] = 5001;
      chain.values[2 * 4500] = -7;
      EXPECT_EQ(message_of(chain.input),
                "mesh plan: map 'links', row 4500, component 0 is -7, expected 0 … 5000");
      chain.values[2 * 4500] = 0;
      EXPECT_EQ(message_of(chain.input),
                "mesh plan: map 'links', row 4001, component 1 is 5001, expected 0 … 5000");
      // Also where nothing conflicts.
      chain.input.conflicts.clear();
      EXPECT_NE(message_of(chain.input), "accepted");
      // What the part does not reach, and components that no argument uses, are not looked at.
      chain.input.pairs[0].components = {0};
      EXPECT_EQ(message_of(chain.input), "accepted");
      chain.input.pairs[0].components = {1};
      chain.input.size = 4000;
      EXPECT_EQ(message_of(chain.input), "accepted");
    }
}

TEST(BuildPlan, inputs_that_contradict_themselves_are_refused) {
  const auto refused = [](auto&& change) {
    Chain chain(10);
    const std::vector<std::int32_t> outside{1, 10};
    change(chain.input);
    if (chain.input.subset) chain.input.subset = outside;
    return message_of(chain.input);
  };
  EXPECT_EQ(refused([](PlanInput& input) { input.block_size = 0; }),
            "mesh plan: block size 0, expected at least 1");
  EXPECT_EQ(refused([](PlanInput& input) { input.begin = 3; }),
            "mesh plan: a part of 10 elements from 3 on, expected it within 10");
  EXPECT_EQ(refused([](PlanInput& input) {
              input.scheme = Scheme::permuted;
              input.first_late = 11;
            }),
            "mesh plan: late elements from 11 on, expected at most 10");
  EXPECT_EQ(refused([](PlanInput& input) { input.first_late = 5; }),
            "mesh plan: late elements in blocks, expected them by colour");
  EXPECT_EQ(refused([](PlanInput& input) { input.pairs[0].map = 1; }),
            "mesh plan: a pair names map 1 of 1");
  EXPECT_EQ(refused([](PlanInput& input) { input.pairs[0].components = {2}; }),
            "mesh plan: map 'links' has 2 components, expected more than 2");
  EXPECT_EQ(refused([](PlanInput& input) { input.set_size = input.size = 11; }),
            "mesh plan: map 'links' has 10 rows, expected at least 11");
  EXPECT_EQ(refused([](PlanInput& input) {
              input.subset.emplace();
              input.size = 2;
            }),
            "mesh plan: subset entry 1 is 10, expected 0 … 9");
}

}  // namespace
}  // namespace kiln::mesh
