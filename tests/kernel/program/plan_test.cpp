#include "kernel/program/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernel/plan_builder.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {Errc::internal, "nothing was thrown"};
}

std::vector<std::int32_t> counted(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 7);
  return values;
}

PlanPtr example_plan() {
  static const auto colours = counted(13);
  static const std::vector<double> weights{0.5, 0.25};
  return PlanBuilder()
      .add<std::int32_t>("colours", colours)
      .add<double>("weights", weights)
      .add<char>("nothing", {})
      .build();
}

bool equal(ByteView a, ByteView b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

TEST(Plan, gives_its_arrays_by_name) {
  const auto plan = example_plan();
  const auto colours = plan->array<std::int32_t>("colours");
  EXPECT_EQ(std::vector(colours.begin(), colours.end()), counted(13));
  EXPECT_EQ(plan->array<double>("weights")[1], 0.25);
  EXPECT_TRUE(plan->array<char>("nothing").empty());
}

TEST(Plan, an_absent_array_and_a_broken_size_are_errors) {
  const auto plan = example_plan();
  EXPECT_EQ(error_of([&] { plan->array<int>("colour"); }).code(), Errc::not_found);
  // 13 integers of 4 bytes are not a multiple of 8-byte elements.
  EXPECT_EQ(error_of([&] { plan->array<double>("colours"); }).code(), Errc::corrupt);
}

TEST(Plan, any_arrays_survive_the_block_and_lie_at_multiples_of_64) {
  EXPECT_TRUE(rc::check([](const std::vector<std::vector<std::uint8_t>>& arrays) {
    PlanBuilder builder;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      builder.add<std::uint8_t>("array " + std::to_string(i), arrays[i]);
    const auto made = builder.build();
    const auto back = Plan::from_block(made->block());
    RC_ASSERT(back.has_value());
    RC_ASSERT(equal(made->block(), (*back)->block()));
    for (const auto& plan : {made, *back})
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto array = plan->array<std::uint8_t>("array " + std::to_string(i));
        RC_ASSERT(std::vector(array.begin(), array.end()) == arrays[i]);
        RC_ASSERT(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
      }
  }));
}

TEST(Plan, equal_arrays_make_equal_blocks) {
  const auto first = example_plan(), second = example_plan();
  EXPECT_TRUE(equal(first->block(), second->block()));
}

TEST(Plan, a_block_that_is_cut_anywhere_is_refused_or_holds_all_its_arrays) {
  const auto plan_of_block = example_plan();  // a block lives as long as its plan
  const auto block = plan_of_block->block();
  for (std::size_t size = 0; size < block.size(); ++size) {
    const auto plan = Plan::from_block(block.first(size));
    // The last array is empty, so its own end may be cut away, but nothing with content.
    if (plan) {
      EXPECT_EQ((*plan)->array<double>("weights")[1], 0.25) << size;
    }
  }
  EXPECT_FALSE(Plan::from_block({}));
}

TEST(Plan, every_flipped_byte_of_the_table_is_refused_or_stays_inside_the_block) {
  const auto plan_of_block = example_plan();  // a block lives as long as its plan
  const auto block = plan_of_block->block();
  const Bytes whole(block.begin(), block.end());
  for (std::size_t at = 0; at < 128; ++at)
    for (const int flip : {0x01, 0x40, 0x80, 0xff}) {
      Bytes broken = whole;
      broken[at] ^= static_cast<std::byte>(flip);
      const auto plan = Plan::from_block(broken);
      if (!plan) continue;
      for (const char* name : {"colours", "weights", "nothing"}) try {
          const auto array = (*plan)->array<char>(name);
          const auto* begin = reinterpret_cast<const std::byte*>(array.data());
          EXPECT_GE(begin, (*plan)->block().data());
          EXPECT_LE(begin + array.size(), (*plan)->block().data() + (*plan)->block().size());
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), Errc::not_found);
        }
    }
}

TEST(Plan, offsets_that_overflow_are_refused) {
  Bytes block;
  append(block, "KPLN");
  append_le(block, std::uint32_t{1});
  append_le(block, std::uint32_t{1});
  append(block, "a");
  append_le(block, std::uint64_t{0});
  append_le(block, ~std::uint64_t{0});
  const auto plan = Plan::from_block(block);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message().find("outside the block"), std::string::npos);
}

}  // namespace
}  // namespace kiln::testing
