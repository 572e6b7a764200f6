#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "schedule/split.hpp"
#include "schedule/split_model.hpp"

namespace kiln {
namespace {

using Shares = SplitModel::Shares;
using Standing = SplitModel::Standing;

/// Devices whose times are known: what they take for a share, and what the host adds.
struct World {
  std::function<SplitModel::DeviceTime(std::size_t device, const Shares&)> device;
  double alone_host = 0, split_host = 0;

  double wall(const Shares& shares) const {
    double slowest = 0;
    int busy = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] == 0) continue;
      ++busy;
      const auto time = device(i, shares);
      slowest = std::max(slowest, time.kernel_ns + time.transfer_ns);
    }
    return slowest + (busy > 1 ? split_host : alone_host);
  }
  void run(SplitModel& model, Standing standing, double noise = 1) const {
    const auto shares = model.choose();
    std::vector<SplitModel::DeviceTime> times;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      times.push_back(device(i, shares));
      times.back().kernel_ns *= noise;
    }
    model.learn(shares, times, wall(shares) * noise, standing);
  }
  /// The time of the model's split after some runs over the best partition class.
  double regret(SplitModel model, int runs) const {
    for (int i = 0; i < runs; ++i) run(model, i == 0 ? Standing::unlike : Standing::warm);
    double best = HUGE_VAL;
    for (int c = 0; c <= 10; ++c)
      best = std::min(best, wall(SplitModel::nearest(class_weights(c, 2))));
    return wall(model.choose()) / best;
  }
};

/// Each device takes `whole` for all the work, whatever the other does.
World independent(double first, double second, double first_transfer = 0) {
  return {.device = [=](std::size_t i, const Shares& shares) {
    return SplitModel::DeviceTime{(i == 0 ? first : second) * shares[i] / SplitModel::grain,
                                  i == 0 ? first_transfer : 0};
  }};
}

/// The devices share what limits them: together they are as fast as one, or slower by `loss`.
World contended(double whole, double loss) {
  return {.device = [=](std::size_t i, const Shares& shares) {
    const bool alone = shares[i] == SplitModel::grain;
    const double slowest = *std::max_element(shares.begin(), shares.end());
    return SplitModel::DeviceTime{alone ? whole : whole * loss * shares[i] / slowest, 0};
  }};
}

TEST(SplitModelLearning, balances_devices_of_different_speeds_whatever_the_guess_was) {
  for (const double ratio : {0.2, 0.5, 1.0, 2.0, 5.0, 20.0})
    EXPECT_LE(independent(1e6, ratio * 1e6).regret(SplitModel({1, 1}), 5), 1.05) << ratio;
}

TEST(SplitModelLearning, leaves_a_device_out_whose_transfers_cost_more_than_it_saves) {
  const World world = independent(1e5, 1e6, 2e6);
  EXPECT_LE(world.regret(SplitModel({1, 1}), 5), 1.05);
}

TEST(SplitModelLearning, shares_with_a_device_whose_transfers_pay) {
  const World world = independent(1e5, 4e6, 1e6);
  EXPECT_LE(world.regret(SplitModel({1, 1}), 5), 1.05);
}

TEST(SplitModelLearning, finds_that_one_device_alone_is_better_where_both_slow_each_other_down) {
  World world = contended(1e6, 1.3);
  world.alone_host = world.split_host = 5e5;
  EXPECT_LE(world.regret(SplitModel({1, 1}), 5), 1.05);
}

TEST(SplitModelLearning, counts_what_a_split_costs_the_host) {
  World world = independent(1e6, 1e6);
  world.split_host = 9e5;
  EXPECT_LE(world.regret(SplitModel({1, 1}), 5), 1.05);
}

TEST(SplitModelLearning, finds_the_balance_of_uneven_work) {
  // The first part of the NDRange is cheap: cost grows linearly along it.
  const World world{.device = [](std::size_t i, const Shares& shares) {
    const double at = static_cast<double>(shares[0]) / SplitModel::grain;
    return SplitModel::DeviceTime{1e7 * (i == 0 ? at * at : 1 - at * at), 0};
  }};
  EXPECT_LE(world.regret(SplitModel({1, 1}), 5), 1.05);
}

TEST(SplitModelLearning, gives_a_split_that_was_disturbed_once_a_second_chance) {
  const World world = independent(1e6, 1e6);
  SplitModel model({1, 1});
  world.run(model, Standing::unlike);
  world.run(model, Standing::warm, 1.9);  // something else ran meanwhile
  while (model.runs() < SplitModel::trials) world.run(model, Standing::warm);
  EXPECT_EQ(model.choose(), (Shares{32, 32}));
}

TEST(SplitModelLearning, stays_with_the_best_once_the_trials_are_over) {
  const World world = independent(1e6, 1.3e6);
  SplitModel model({1, 1});
  for (int i = 0; i < SplitModel::trials; ++i) world.run(model, Standing::warm);
  const auto settled = model.choose();
  for (int i = 0; i < 20; ++i) {
    world.run(model, Standing::warm, i % 3 == 0 ? 1.04 : 1.0);
    EXPECT_EQ(model.choose(), settled) << "after " << model.runs() << " runs";
  }
}

TEST(SplitModelLearning, follows_a_device_that_becomes_slower_for_good) {
  SplitModel model({1, 1});
  for (int i = 0; i < 8; ++i) independent(1e6, 1e6).run(model, Standing::warm);
  const World later = independent(1e6, 3e6);
  for (int i = 0; i < 150; ++i) later.run(model, Standing::warm);
  EXPECT_LE(later.wall(model.choose()),
            1.1 * later.wall(SplitModel::nearest(std::vector{3.0, 1.0})));
}

TEST(SplitModelLearning, forgets_cold_walls_once_it_has_seen_warm_ones) {
  SplitModel model({1, 1});
  const std::vector<SplitModel::DeviceTime> even{{5e5, 0}, {5e5, 0}};
  model.learn({32, 32}, even, 5e6, Standing::cold);
  model.learn({64, 0}, {{1e6, 0}, {0, 0}}, 1e6, Standing::warm);
  // The cold run of the even split says five times as much; its devices' times promise half.
  EXPECT_EQ(model.choose(), (Shares{32, 32}));
}

TEST(SplitModelLearning, is_not_drawn_on_and_on_to_a_guess_that_only_cold_runs_try) {
  SplitModel model({1, 1});
  const std::vector<SplitModel::DeviceTime> even{{5e5, 0}, {5e5, 0}};
  model.learn({32, 32}, even, 8e5, Standing::warm);
  for (int i = 0; i < 6; ++i) model.learn({64, 0}, {{7e5, 0}, {0, 0}}, 2e6, Standing::cold);
  EXPECT_EQ(model.choose(), (Shares{32, 32}));
}

TEST(SplitModelLearning, serves_more_than_two_devices) {
  const World world{.device = [](std::size_t i, const Shares& shares) {
    return SplitModel::DeviceTime{1e6 * static_cast<double>(1 + i) * shares[i] / SplitModel::grain,
                                  0};
  }};
  SplitModel model({1, 1, 1});
  for (int i = 0; i < 5; ++i) world.run(model, Standing::warm);
  EXPECT_LE(world.wall(model.choose()), 1.08 * 1e6 * 6 / 11);
}

TEST(SplitModelLearning, gives_a_whole_split_whatever_the_bytes_say) {
  SplitModel model({1, 1});
  for (int i = 0; i < 3; ++i) independent(1e6, 2e6).run(model, Standing::warm);
  const Bytes bytes = model.encode();
  for (std::size_t at = 0; at < bytes.size() * 8; ++at) {
    Bytes changed = bytes;
    changed[at / 8] ^= static_cast<std::byte>(1 << at % 8);
    const auto read = SplitModel::decode(changed, 2);
    if (!read) continue;
    const auto shares = read->choose();
    ASSERT_EQ(shares.size(), 2u) << "bit " << at;
    EXPECT_EQ(shares[0] + shares[1], SplitModel::grain) << "bit " << at;
    EXPECT_TRUE(shares[0] >= 0 && shares[1] >= 0) << "bit " << at;
  }
}

}  // namespace
}  // namespace kiln
