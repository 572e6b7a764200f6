// The model of `auto` against devices that are simulated: it must find the best split of each,
// with noise, from the runs that the user asked for anyway.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "schedule/split.hpp"
#include "schedule/split_model.hpp"

namespace kiln::testing {
namespace {

using Shares = SplitModel::Shares;

/// A pair of devices, and how long they take.
struct Profile {
  const char* name;
  double whole[2];    ///< ns for all the work, alone
  double fixed[2];    ///< transfers, ns
  double contention;  ///< slowdown of both while both work
  double split_cost;  ///< ns on the host of a split run
  double first_guess[2];

  double device_ns(std::size_t i, const Shares& shares) const {
    const bool both = shares[0] > 0 && shares[1] > 0;
    return whole[i] * shares[i] / SplitModel::grain * (both ? contention : 1.0);
  }
  double wall_ns(const Shares& shares) const {
    double slowest = 0;
    for (std::size_t i = 0; i < 2; ++i)
      if (shares[i] > 0) slowest = std::max(slowest, fixed[i] + device_ns(i, shares));
    return slowest + (shares[0] > 0 && shares[1] > 0 ? split_cost : 0) + 20'000;
  }
  double best_of_classes() const {
    double best = wall_ns({SplitModel::grain, 0});
    for (int tenth = 0; tenth <= 10; ++tenth)
      best = std::min(best, wall_ns(SplitModel::nearest(class_weights(tenth, 2))));
    return best;
  }
};

constexpr Profile profiles[] = {
    {"two_equal_parts", {8e6, 8e6}, {0, 0}, 1.0, 30e3, {1, 1}},
    {"four_and_twelve_cores", {24e6, 8e6}, {0, 0}, 1.0, 30e3, {4, 12}},
    {"four_and_twelve_cores_guessed_wrong", {24e6, 8e6}, {0, 0}, 1.0, 30e3, {1, 1}},
    {"gpu_whose_transfers_are_dear", {1e6, 10e6}, {4e6, 0}, 1.0, 60e3, {1, 1}},
    {"gpu_that_is_much_faster", {0.5e6, 60e6}, {1e6, 0}, 1.0, 60e3, {1, 1}},
    {"gpu_that_does_not_pay", {2e6, 3e6}, {9e6, 0}, 1.0, 60e3, {1, 1}},
    {"memory_bound_pair", {4e6, 4e6}, {0, 0}, 1.95, 30e3, {1, 1}},
    {"tiny_work", {40e3, 40e3}, {0, 0}, 1.0, 60e3, {1, 1}},
};

class AutoConverges : public ::testing::TestWithParam<std::tuple<Profile, int>> {};

TEST_P(AutoConverges, to_within_a_twentieth_of_the_best_class_after_five_runs) {
  const auto& [profile, seed] = GetParam();
  std::mt19937 engine(static_cast<unsigned>(seed));
  // Other work on the machine only ever makes a run longer.
  std::exponential_distribution<double> noise(1 / 0.01);
  SplitModel model({profile.first_guess[0], profile.first_guess[1]});
  for (int run = 0; run < 5; ++run) {
    const auto shares = model.choose();
    const double slower = 1 + std::min(0.05, noise(engine));
    std::vector<SplitModel::DeviceTime> times(2);
    for (std::size_t i = 0; i < 2; ++i)
      if (shares[i] > 0) times[i] = {profile.device_ns(i, shares) * slower, profile.fixed[i]};
    // A first split run merges, and so takes longer than all later ones.
    const bool first = run == 0;
    model.learn(shares, times, profile.wall_ns(shares) * slower * (first ? 1.5 : 1),
                first ? SplitModel::Standing::unlike : SplitModel::Standing::warm);
  }
  const auto chosen = model.choose();
  EXPECT_LE(profile.wall_ns(chosen), 1.05 * profile.best_of_classes())
      << "it would split " << chosen[0] << ":" << chosen[1];
}

std::string name_of(const ::testing::TestParamInfo<AutoConverges::ParamType>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Simulated, AutoConverges,
                         ::testing::Combine(::testing::ValuesIn(profiles), ::testing::Range(0, 5)),
                         name_of);

/// A model after some runs on a pair.
SplitModel trained(int runs) {
  SplitModel model({1, 3});
  for (int run = 0; run < runs; ++run) {
    const auto shares = model.choose();
    std::vector<SplitModel::DeviceTime> times{{3.0 * shares[0], 1}, {1.0 * shares[1], 2}};
    model.learn(shares, times, std::max(3.0 * shares[0] + 1, 1.0 * shares[1] + 2),
                run == 0 ? SplitModel::Standing::cold : SplitModel::Standing::warm);
  }
  return model;
}

TEST(AutoModel, shares_always_sum_to_the_whole) {
  EXPECT_TRUE(rc::check([] {
    const auto devices = *rc::gen::inRange<std::size_t>(1, 5);
    SplitModel model{std::vector<double>(devices, 1.0)};
    for (int run = 0; run < 6; ++run) {
      const auto shares = model.choose();
      RC_ASSERT(shares.size() == devices);
      RC_ASSERT(std::accumulate(shares.begin(), shares.end(), 0) == SplitModel::grain);
      RC_ASSERT(std::all_of(shares.begin(), shares.end(), [](int share) { return share >= 0; }));
      std::vector<SplitModel::DeviceTime> times(devices);
      for (auto& time : times) {
        // Zero too: a share so small that it is no work-group at all.
        time.kernel_ns = *rc::gen::inRange(0, 1'000'000);
        time.transfer_ns = *rc::gen::inRange(0, 1000);
      }
      model.learn(shares, times, *rc::gen::inRange(1, 2'000'000), SplitModel::Standing::warm);
    }
  }));
}

TEST(AutoModel, truncated_or_flipped_bytes_give_nothing_or_a_model_that_still_works) {
  const Bytes whole = trained(5).encode();
  const auto usable = [](const std::optional<SplitModel>& model) {
    if (!model) return true;
    const auto shares = model->choose();
    return shares.size() == 2 && shares[0] >= 0 && shares[1] >= 0 && shares[0] + shares[1] == 64;
  };
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(usable(SplitModel::decode(ByteView(whole).first(size), 2))) << size;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes broken = whole;
      broken[at] ^= static_cast<std::byte>(flip);
      EXPECT_TRUE(usable(SplitModel::decode(broken, 2))) << at;
    }
}

TEST(AutoModel, any_bytes_are_safe) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    Bytes all;
    append_le(all, std::uint32_t{2});
    for (const auto byte : bytes) all.push_back(static_cast<std::byte>(byte));
    if (const auto model = SplitModel::decode(all, 2)) {
      const auto shares = model->choose();
      RC_ASSERT(shares.size() == 2u);
      RC_ASSERT(shares[0] + shares[1] == 64);
    }
  }));
}

}  // namespace
}  // namespace kiln::testing
