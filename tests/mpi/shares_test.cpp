// Shares with which ranks take as long, from what they took for parts of several sizes.
#include "mpi/shares.hpp"

#include <gtest/gtest.h>

namespace kiln::mpi {
namespace {

void expect_shares(const std::vector<Cost>& costs, double elements, double seconds,
                   const std::vector<double>& shares) {
  const EvenShares found = even_shares(costs, elements);
  EXPECT_NEAR(found.seconds, seconds, 1e-9);
  ASSERT_EQ(found.shares.size(), shares.size());
  for (std::size_t rank = 0; rank < shares.size(); ++rank)
    EXPECT_NEAR(found.shares[rank], shares[rank], 1e-12) << "rank " << rank;
}

TEST(EvenShares, let_all_ranks_take_as_long) {
  expect_shares({{0, 1}, {0, 3}}, 100, 75, {0.75, 0.25});
  expect_shares({{10, 1}, {0, 1}}, 100, 55, {0.45, 0.55});
  expect_shares({{0, 2}}, 100, 200, {1});
}

TEST(EvenShares, are_nothing_for_a_rank_that_takes_longer_for_nothing) {
  // Without the first one the others are through after 47.5.
  expect_shares({{95, 1}, {0, 1}, {5, 1}}, 90, 47.5, {0, 47.5 / 90, 42.5 / 90});
  // A share that no partitioner can tell from nothing.
  expect_shares({{99.99, 1}, {0, 1}}, 100, 100, {0, 1});
}

TEST(EvenShares, are_equal_where_nothing_is_known) {
  expect_shares({{0, 2}, {0, 4}}, 0, 0, {0.5, 0.5});
  expect_shares({{0, 0}, {0, 0}}, 100, 0, {0.5, 0.5});
  // Whose speed is not known is as fast as the others.
  expect_shares({{0, 2}, {0, 0}}, 100, 100, {0.5, 0.5});
}

void expect_cost(const std::vector<Work>& work, double fixed, double each) {
  const Cost found = cost_of(work);
  EXPECT_NEAR(found.fixed, fixed, 1e-12);
  EXPECT_NEAR(found.each, each, 1e-12);
}

TEST(EvenShares, know_launches_from_elements_by_parts_of_several_sizes) {
  expect_cost({}, 0, 0);
  expect_cost({{100, 5}}, 0, 0.05);
  expect_cost({{100, 5}, {100, 7}}, 0, 0.06);
  expect_cost({{100, 5}, {200, 9}}, 1, 0.04);
  expect_cost({{100, 5}, {200, 9}, {300, 13}}, 1, 0.04);
}

TEST(EvenShares, take_no_noise_for_a_cost_below_0) {
  expect_cost({{100, 5}, {200, 12}}, 0, 17.0 / 300);       // more than in proportion
  expect_cost({{100, 5}, {200, 4}}, 4.05, 0.1 * 9 / 300);  // the larger part took less
}

}  // namespace
}  // namespace kiln::mpi
