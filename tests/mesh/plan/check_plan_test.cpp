#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/plan_builder.hpp"
#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/random_input.hpp"

namespace kiln::mesh {
namespace {

constexpr const char* arrays[] = {"head",     "offset",     "nelems",    "blkmap",
                                  "ncolblk",  "color_offs", "ind_map",   "ind_sizes",
                                  "ind_offs", "nindirect",  "loc_first", "loc_rows",
                                  "loc_map",  "thrcol",     "nthrcol",   "order"};

/// The plan with one entry of an array changed; nullptr where it has no such entry.
template <class T>
PlanPtr damaged(const PlanPtr& plan, std::string_view name, std::size_t at, T value) {
  kiln::testing::PlanBuilder builder;
  std::vector<std::vector<std::byte>> copies;
  copies.reserve(std::size(arrays));
  bool done = false;
  for (const char* array : arrays) try {
      const auto bytes = plan->array<std::byte>(array);
      auto& copy = copies.emplace_back(bytes.begin(), bytes.end());
      if (array == name && (at + 1) * sizeof(T) <= copy.size()) {
        done = std::memcmp(copy.data() + at * sizeof(T), &value, sizeof(T)) != 0;
        std::memcpy(copy.data() + at * sizeof(T), &value, sizeof(T));
      }
      builder.add<std::byte>(array, copy);
    } catch (const Error&) {  // another scheme's
    }
  return done ? builder.build() : nullptr;
}

/// What the view or the checker says; empty: accepted.
std::string verdict(const PlanInput& input, const PlanPtr& plan) {
  try {
    return check_plan(input, MeshPlan(plan));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::corrupt);
    return error.message();
  }
}

/// A ring of elements that share targets with their neighbours, in blocks of 3.
struct Ring {
  explicit Ring(Scheme scheme) {
    for (std::int32_t e = 0; e < 9; ++e) values.insert(values.end(), {e, (e + 1) % 9});
    input.set_size = input.size = 9;
    input.block_size = 3;
    input.scheme = scheme;
    input.maps = {{values, 2, 9, 1, 0, {}}};
    input.pairs = {{0, {1, 0}, 8, true}};
    input.conflicts = {{{input.pairs[0]}}};
    plan = build_plan(input);
  }
  std::string after(const char* name, std::size_t at, std::int32_t value) const {
    const auto broken = damaged(plan, name, at, value);
    return broken ? verdict(input, broken) : "no such entry";
  }
  std::vector<std::int32_t> values;
  PlanInput input;
  PlanPtr plan;
};

TEST(CheckPlan, names_the_damage_of_a_staged_plan) {
  const Ring ring(Scheme::staged);
  EXPECT_EQ(verdict(ring.input, ring.plan), "");
  EXPECT_EQ(ring.after("offset", 1, 4), "block 1 has 3 elements from 4 on, expected 3 from 3 on");
  EXPECT_EQ(ring.after("nelems", 2, 2), "block 2 has 2 elements from 6 on, expected 3 from 6 on");
  EXPECT_EQ(ring.after("blkmap", 1, 0), "blkmap[1] is 0, which is outside or there twice");
  EXPECT_EQ(ring.after("blkmap", 1, -1), "blkmap[1] is -1, which is outside or there twice");
  EXPECT_EQ(ring.after("ncolblk", 0, 2), "ncolblk[0] is 2, expected 1");
  EXPECT_EQ(ring.after("color_offs", 1, 0), "colour 0 is empty");
  EXPECT_EQ(ring.after("color_offs", 3, 2), "color_offs does not run from 0 to 3");
  EXPECT_EQ(ring.after("ind_map", 1, 2), "ind_map of block 0, pair 0, place 1 is 2, expected 1");
  EXPECT_EQ(ring.after("ind_sizes", 1, 3), "block 1 stages 3 targets of pair 0, expected 4");
  EXPECT_EQ(ring.after("ind_offs", 2, 9), "block 2's list of pair 0 leaves ind_map");
  EXPECT_EQ(ring.after("nindirect", 0, 11), "nindirect[0] is 11, expected 12");
  EXPECT_EQ(ring.after("nthrcol", 0, -1),
            "nthrcol[0] is -1, expected at most the block's 3 elements");
  EXPECT_EQ(ring.after("nthrcol", 0, 3), "colour 2 of block 0 has no element");
  EXPECT_EQ(ring.after("nthrcol", 0, 1), "thrcol[1] is 1, expected fewer than 1");
  EXPECT_EQ(ring.after("thrcol", 1, 0),
            "positions 0 and 1 of block 0, colour 0, share target 1 of conflict 0");
  EXPECT_EQ(ring.after("loc_rows", 0, 1),
            "loc_map of pair 0, slot 0, position 0 is 0, which is not where target 1 stands");
  EXPECT_EQ(ring.after("loc_rows", 0, 2), "mesh plan: loc_rows");
  const auto moved = damaged(ring.plan, "loc_map", 4, std::uint16_t{7});
  EXPECT_EQ(verdict(ring.input, moved),
            "loc_map of pair 0, slot 0, position 4 is 7, which is not where target 5 stands");
  const auto shared = damaged(ring.plan, "head", 8, std::int64_t{16});
  EXPECT_EQ(verdict(ring.input, shared), "nshared is 16, expected 32");
  const auto future = damaged(ring.plan, "head", 0, std::int64_t{99});
  EXPECT_EQ(verdict(ring.input, future), "mesh plan: not of this version");
  const auto other = damaged(ring.plan, "head", 1, std::int64_t{2});  // Scheme::permuted
  EXPECT_THAT(verdict(ring.input, other), ::testing::StartsWith("mesh plan: "));
}

TEST(CheckPlan, names_wrong_slots_where_no_element_uses_them) {
  Ring ring(Scheme::staged);
  ring.input.size = 0;
  ring.input.pairs.push_back(ring.input.pairs[0]);
  const auto plan = build_plan(ring.input);
  EXPECT_EQ(verdict(ring.input, plan), "");
  EXPECT_EQ(verdict(ring.input, damaged(plan, "loc_first", 1, 0)),
            "pair 0 has 0 slots, expected 2");
}

TEST(CheckPlan, names_blocks_of_one_colour_that_share_a_target) {
  Ring ring(Scheme::blocks);
  ring.input.conflicts.clear();
  const auto one_colour = build_plan(ring.input);
  ring.input.conflicts = {{{ring.input.pairs[0]}}};
  EXPECT_EQ(verdict(ring.input, one_colour),
            "blocks 0 and 1 of colour 0 share target 3 of conflict 0");
}

TEST(CheckPlan, names_elements_of_one_colour_that_share_a_target) {
  const Ring ring(Scheme::permuted);
  EXPECT_EQ(verdict(ring.input, ring.plan), "");
  // Colours 0: 0 2 4 6; 1: 1 3 5 7; 2: 8.
  EXPECT_EQ(ring.after("color_offs", 2, 9), "colour 2 is empty");
  EXPECT_EQ(ring.after("color_offs", 1, 5), "order[4] does not rise within colour 0");
  EXPECT_EQ(ring.after("color_offs", 1, 3), "order[4] does not rise within colour 1");
  EXPECT_EQ(ring.after("order", 0, 2), "order[1] is 2, which is outside or there twice");
}

TEST(CheckPlan, names_late_elements_with_an_early_colour) {
  Ring ring(Scheme::permuted);
  ring.input.first_late = 6;
  ring.plan = build_plan(ring.input);
  EXPECT_EQ(verdict(ring.input, ring.plan), "");
  // Colours 0: 0 2 4; 1: 1 3 6 8; 2: 5 7.
  const auto from = [&](std::int64_t colour) {
    return verdict(ring.input, damaged(ring.plan, "head", 11, colour));
  };
  EXPECT_EQ(from(2), "late element 6 has colour 1, expected 2 or more");
  EXPECT_EQ(from(0), "late colours from 0 on, with 3 late elements");
  EXPECT_EQ(from(4), "mesh plan: late colours that are not there");
  const Ring blocks(Scheme::blocks);
  EXPECT_EQ(verdict(blocks.input, damaged(blocks.plan, "head", 11, std::int64_t{1})),
            "late colours of blocks");
  const Ring without(Scheme::permuted);
  EXPECT_EQ(verdict(without.input, ring.plan), "late colours from 1 on, with 0 late elements");
}

TEST(CheckPlan, a_plan_of_another_input_is_refused) {
  const Ring ring(Scheme::staged);
  auto input = ring.input;
  input.scheme = Scheme::blocks;
  EXPECT_EQ(verdict(input, ring.plan), "scheme 1, expected 0");
  input = ring.input;
  input.block_size = 4;
  EXPECT_EQ(verdict(input, ring.plan), "blocks of 3, expected 4");
  input = ring.input;
  input.size = 8;
  EXPECT_EQ(verdict(input, ring.plan), "part of 9 elements from 0 on, expected 8 from 0 on");
}

RC_GTEST_PROP(CheckPlan, refuses_any_changed_entry_that_is_not_a_colour, ()) {
  // Colours, and where they begin, may be changed to others that are right, too; a changed ncolors
  // or a wider head shows in the arrays' sizes.
  const auto owned = testing::random_input(testing::random_scheme());
  const auto plan = build_plan(owned->input);
  const std::string name =
      *rc::gen::element<std::string>("offset", "nelems", "blkmap", "ncolblk", "ind_sizes",
                                     "nindirect", "loc_first", "nthrcol", "order");
  const auto broken = damaged(plan, name, testing::pick(0, 20),
                              *rc::gen::element<std::int32_t>(-1, 0, 1, 2, 3, 100000));
  if (broken) RC_ASSERT(verdict(owned->input, broken) != "");
}

RC_GTEST_PROP(CheckPlan, never_leaves_the_arrays_of_a_damaged_plan, ()) {
  const auto owned = testing::random_input(Scheme::staged);
  const auto plan = build_plan(owned->input);
  const auto broken = damaged(
      plan, *rc::gen::elementOf(std::vector<std::string>(std::begin(arrays), std::end(arrays))),
      testing::pick(0, 20), *rc::gen::arbitrary<std::int32_t>());
  if (broken) verdict(owned->input, broken);  // under a sanitizer this is what counts
}

}  // namespace
}  // namespace kiln::mesh
