// The default strategy on spaces that other people measured. Searches depend on nothing but their
// seeds, so the figures do not vary.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/os/file.hpp"
#include "test_paths.hpp"
#include "tune/replay/replay.hpp"
#include "tune/strategy/forest_search.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::tune {
namespace {

class Hub : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << folder_ << " is absent";
  }
  MeasuredSpace read(const std::string& name) const {
    const auto bytes = read_input(folder_ / (name + ".json.gz"), 1u << 30).value();
    return read_measured_space(bytes, name).value();
  }
  /// Median of nine seeds, all below `most` evaluations.
  static double median(const MeasuredSpace& measured, std::string_view strategy,
                       std::shared_ptr<const Transfer> transfer = nullptr) {
    std::vector<std::size_t> counts;
    for (std::uint64_t seed = 1; seed <= 9; ++seed) {
      const auto made = make_strategy(strategy, measured.space, seed, transfer).value();
      const Search search = replay(measured, *made, 0.95, 0, 2000);
      counts.push_back(search.reached != 0 ? search.reached : measured.outcomes.size());
    }
    std::sort(counts.begin(), counts.end());
    return static_cast<double>(counts[4]);
  }

 private:
  std::filesystem::path folder_ = std::string(KILN_SHARED_DIR) + "/data/hub";
};

TEST_F(Hub, the_default_needs_a_fifth_of_what_random_needs) {
  const MeasuredSpace measured = read("dedispersion_MI250X");
  EXPECT_LT(5 * median(measured, ""), median(measured, "random"));
}

TEST_F(Hub, another_devices_times_leave_few_evaluations) {
  const MeasuredSpace measured = read("convolution_A4000"), other = read("convolution_MI250X");
  const auto trials = other.trials();
  const auto transfer = Transfer::make(other.space, trials, measured.space, 1).value();
  EXPECT_LE(median(measured, "", transfer), 10);
}

}  // namespace
}  // namespace kiln::tune
