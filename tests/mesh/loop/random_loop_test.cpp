// Any loop in any form is what it means element after element.
#include "mesh/loop/random_loop.hpp"

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

namespace kiln::mesh::testing {
namespace {

const std::vector<Parameters>& loop_forms() {
  static const std::vector<Parameters> all{{{"FORM", 0}, {"LANES", 1}, {"BLOCK", 16}},
                                           {{"FORM", 0}, {"LANES", 4}, {"BLOCK", 20}},
                                           {{"FORM", 0}, {"LANES", 8}, {"STREAM", 1}},
                                           {{"FORM", 0}, {"LANES", 16}, {"BLOCK", 64}},
                                           {{"FORM", 1}, {"GROUP", 8}},
                                           {{"FORM", 2}, {"GROUP", 8}},
                                           {{"FORM", 3}, {"GROUP", 8}, {"BLOCK", 32}}};
  return all;
}

void check(unsigned seed, std::size_t size) {
  const RandomLoop loop(seed, size);
  const auto expected = loop.expected();
  // One form of all: programs take long to make.
  const std::size_t form = seed % loop_forms().size();
  const auto found = loop.run(quiet_options(), loop_forms()[form]);
  RC_LOG() << loop.describe() << "\nform " << form << "\n";
  RC_ASSERT(found == expected);
}

RC_GTEST_PROP(RandomLoops, are_what_they_mean_element_after_element, ()) {
  check(*rc::gen::arbitrary<unsigned>(), *rc::gen::inRange<std::size_t>(0, 150));
}

/// What is further from what a loop means than rounding may lead; empty: nothing is.
std::string beyond_rounding(const RandomLoop& loop, std::size_t form) {
  Mesh::Options options = quiet_options();
  options.timing = true;  // so that it says how many lanes there were
  const auto expected = loop.expected_reals();
  const auto found = loop.run_reals(options, loop_forms()[form]);
  for (std::size_t data = 0; data < expected.size(); ++data)
    for (std::size_t k = 0; k < expected[data].size(); ++k) {
      const auto& [value, magnitude, addends, bound] = expected[data][k];
      if (!(std::abs(found[data][k] - value) <= bound))
        return fmt::format("{}\nform {}: data {} [{}] is {}, expected {} within {}",
                           loop.describe(), form, data, k, found[data][k],
                           static_cast<double>(value), static_cast<double>(bound));
    }
  return {};
}

RC_GTEST_PROP(RandomLoops, over_real_numbers_are_within_rounding, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  RandomLoop::Limits limits;
  limits.real = true;
  const RandomLoop loop(seed, *rc::gen::inRange<std::size_t>(0, 150), limits);
  // One form of all, as above.
  const std::string wrong = beyond_rounding(loop, seed % loop_forms().size());
  RC_LOG() << wrong;
  RC_ASSERT(wrong.empty());
}

/// Seeds that are tried in all forms: each is a program for every form.
unsigned in_all_forms() { return std::getenv("KILN_LONG") == nullptr ? 3 : 6; }

// Of the forms with lanes each had them for some loop, or they were compared with themselves.
TEST(RandomLoops, over_many_real_numbers_in_all_forms) {
  std::vector<std::size_t> with_lanes(loop_forms().size());
  for (unsigned seed = 1; seed <= in_all_forms(); ++seed) {
    RandomLoop::Limits limits;
    limits.real = true;
    const RandomLoop loop(seed, 5000, limits);
    for (std::size_t form = 0; form < loop_forms().size(); ++form) {
      EXPECT_EQ(beyond_rounding(loop, form), "");
      with_lanes[form] += static_cast<std::size_t>(loop.lanes() > 1);
    }
  }
  for (std::size_t form = 0; form < loop_forms().size(); ++form) {
    const bool wants = loop_forms()[form].get("LANES", 1) > 1;
    EXPECT_GE(with_lanes[form], static_cast<std::size_t>(wants)) << "form " << form;
  }
}

TEST(RandomLoops, of_thousands_of_seeds) {
  if (std::getenv("KILN_LONG") == nullptr) GTEST_SKIP() << "takes minutes: KILN_LONG=1";
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    const RandomLoop loop(seed, seed * 37 % 150);
    const std::size_t form = seed % loop_forms().size();
    EXPECT_EQ(loop.run(quiet_options(), loop_forms()[form]), loop.expected())
        << "seed " << seed << ", form " << form << "\n"
        << loop.describe();
  }
}

TEST(RandomLoops, of_many_elements_in_all_forms) {
  for (unsigned seed = 1; seed <= in_all_forms(); ++seed) {
    const RandomLoop loop(seed, 5000);
    const auto expected = loop.expected();
    for (const auto& form : loop_forms())
      EXPECT_EQ(loop.run(quiet_options(), form), expected) << loop.describe();
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
