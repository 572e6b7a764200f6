#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "mesh/io/mesh_io.hpp"

namespace kiln::mesh {
namespace {

std::string written(double value) {
  char text[longest_decimals];
  return {text, write_decimals(text, value)};
}

std::string printed(double value) {
  char text[400];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.6f", value))};
}

/// Equal to the bit, or both no number.
void expect_same(double value) {
  SCOPED_TRACE(value);
  EXPECT_EQ(written(value), printed(value));
  const double read = std::strtod(printed(value).c_str(), nullptr);
  const double rounded = rounded_to_decimals(value);
  EXPECT_EQ(std::memcmp(&read, &rounded, sizeof read), 0) << read << " " << rounded;
}

TEST(Decimals, are_printf_s) {
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -18.0,
                             0.5e-6,
                             1.5e-6,
                             2.5e-6,
                             -0.5e-6,
                             4.9999999e-7,
                             0.1234565,
                             0.1234575,
                             268.435455,
                             268.4354565,
                             268435.456,
                             1e9,
                             -123456789012.25,
                             1e22,
                             5e-324,
                             std::numeric_limits<double>::max(),
                             -std::numeric_limits<double>::max()})
    expect_same(value);
}

TEST(Decimals, are_printf_s_next_to_every_tie) {
  for (int micros = -3000; micros < 3000; ++micros) {
    const double tie = (micros + 0.5) * 1e-6;
    for (const double value : {tie, std::nextafter(tie, 1e9), std::nextafter(tie, -1e9)})
      expect_same(value);
  }
}

TEST(Decimals, write_what_is_no_number_as_printf_does) {
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "nan");
}

RC_GTEST_PROP(Decimals, are_printf_s_for_any_number, (double value, int scale)) {
  const double scaled = std::ldexp(value, scale % 64);
  RC_PRE(std::isfinite(scaled));
  RC_ASSERT(written(scaled) == printed(scaled));
  RC_ASSERT(rounded_to_decimals(scaled) == std::strtod(printed(scaled).c_str(), nullptr));
}

}  // namespace
}  // namespace kiln::mesh
