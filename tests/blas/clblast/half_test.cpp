// Half precision: the conversions of clblast_half.h, and every routine of halves next to the same
// routine of floats.
#include <clblast_half.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "blas/clblas/computer.hpp"
#include "blas/clblast/families.hpp"

namespace clblast_test {
namespace {

using clblas_test::Computer;

TEST(Half, every_one_of_them_comes_back) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto value = static_cast<cl_half>(bits);
    const float wide = HalfToFloat(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(wide)))) << bits;
    } else {
      EXPECT_EQ(FloatToHalf(wide), value) << bits;
    }
  }
}

TEST(Half, numbers_in_between_are_rounded_to_the_nearest_and_ties_to_even) {
  for (unsigned bits = 0; bits < 0x7BFF; ++bits) {
    const float low = HalfToFloat(static_cast<cl_half>(bits));
    const float high = HalfToFloat(static_cast<cl_half>(bits + 1));
    const float middle = (low + high) / 2;  // exact
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    for (const bool negative : {false, true}) {
      const float sign = negative ? -1.0f : 1.0f;
      const unsigned flag = negative ? 0x8000u : 0u;
      EXPECT_EQ(FloatToHalf(sign * middle), even | flag) << bits;
      EXPECT_EQ(FloatToHalf(sign * std::nextafter(middle, low)), bits | flag) << bits;
      EXPECT_EQ(FloatToHalf(sign * std::nextafter(middle, high)), (bits + 1) | flag) << bits;
    }
  }
}

TEST(Half, known_values) {
  EXPECT_EQ(FloatToHalf(1.0f), 0x3C00);
  EXPECT_EQ(FloatToHalf(-2.0f), 0xC000);
  EXPECT_EQ(FloatToHalf(65504.0f), 0x7BFF);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7C00) << "rounds to infinity";
  EXPECT_EQ(FloatToHalf(INFINITY), 0x7C00);
  EXPECT_EQ(FloatToHalf(1e-8f), 0x0000);
  EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(NAN))));
  EXPECT_EQ(HalfToFloat(0x0001), std::ldexp(1.0f, -24));
}

// ---- Routines

/// The routines of halves, each with its like of floats.
std::vector<std::pair<Family, Family>> pairs() {
  std::vector<std::pair<Family, Family>> all;
  const auto floats = families<float>();
  for (const Family& half : families<cl_half>())
    for (const Family& single : floats)
      if (single.name.substr(1) == half.name.substr(1)) all.emplace_back(half, single);
  return all;
}

class Halves : public ::testing::TestWithParam<std::pair<Family, Family>> {};

TEST_P(Halves, give_what_floats_give_rounded) {
  const auto& [half, single] = GetParam();
  constexpr size_t n = 37, count = 3 * n * n, operands = 6;
  Computer computer;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<std::vector<float>> start(operands, std::vector<float>(count));
  // Numbers that halves hold exactly.
  for (auto& values : start)
    for (float& value : values) value = HalfToFloat(FloatToHalf(number(random)));

  const bool finds_place = half.name.ends_with("ax") || half.name.ends_with("in");
  const auto results = [&](const Family& family, const auto& stored, auto converted) {
    using Stored = typename std::decay_t<decltype(stored)>::value_type;
    std::vector<cl::Buffer> buffers;
    for (const auto& values : start) {
      std::vector<Stored> as;
      for (const float value : values) as.push_back(converted(value));
      buffers.push_back(computer.buffer(as));
    }
    Operands o{{buffers[0](), 3, n + 2}, {buffers[1](), 1, n + 1},
               {buffers[2](), 2, n + 3}, {buffers[3](), 1, 2},
               {buffers[4](), 5, 3},     {buffers[5](), finds_place ? 0u : 3u}};
    o.n = n;
    o.queue = computer.queues();
    EXPECT_EQ(family.call(o), StatusCode::kSuccess);
    return buffers;
  };
  const auto singles = results(single, std::vector<float>(), [](float value) { return value; });
  const auto halves = results(half, std::vector<cl_half>(), FloatToHalf);
  bool changed = false;
  for (size_t operand = 0; operand < operands; ++operand) {
    if (operand == 5 && finds_place) {
      EXPECT_EQ(computer.contents<cl_uint>(halves[5])[0],
                computer.contents<cl_uint>(singles[5])[0]);
      changed = true;
      continue;
    }
    const auto wide = computer.contents<float>(singles[operand]);
    const auto narrow = computer.contents<cl_half>(halves[operand]);
    for (size_t i = 0; i < count; ++i) {
      changed |= wide[i] != start[operand][i];
      ASSERT_NEAR(HalfToFloat(narrow[i]), wide[i], 2e-3 * std::max(1.0f, std::abs(wide[i])))
          << "operand " << operand << ", element " << i;
      if (wide[i] == start[operand][i]) {
        ASSERT_EQ(HalfToFloat(narrow[i]), start[operand][i]) << "touched: " << operand << ' ' << i;
      }
    }
  }
  EXPECT_TRUE(changed) << "nothing was computed";
}

INSTANTIATE_TEST_SUITE_P(Each, Halves, ::testing::ValuesIn(pairs()),
                         [](const auto& of) { return of.param.first.name; });

}  // namespace
}  // namespace clblast_test
