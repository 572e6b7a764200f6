#include "schedule/partition.hpp"

#include <gtest/gtest.h>

namespace kiln::testing {
namespace {

TEST(Partition, texts_come_back) {
  for (const char* given : {"0", "7", "10", "3:1", "1:2:3", "0.5:1", "auto", "dynamic"})
    EXPECT_EQ(value_or_throw(Partition::parse(given)).text(), given);
}

TEST(Partition, weights_need_one_for_each_device) {
  const auto partition = value_or_throw(Partition::parse("3:1"));
  EXPECT_EQ(value_or_throw(partition.weights_for(2)), (std::vector<double>{3, 1}));
  EXPECT_EQ(partition.weights_for(3).error().message(),
            "partition: found 2 weights (3:1), expected 3, one for each device");
}

TEST(Partition, anything_else_is_answered_with_what_was_found_and_expected) {
  for (const char* given : {"", "11", "-1", "half", "3:", "3:x", "1e999:1", "-1:2"})
    EXPECT_EQ(Partition::parse(given).error().message(),
              "partition: found '" + std::string(given) +
                  "', expected 0 to 10, weights such as 3:1, auto or dynamic");
  EXPECT_EQ(Partition::parse("0:0").error().message(),
            "partition: found '0:0', expected a weight above 0");
}

TEST(Partition, weights_whose_sum_is_no_number_are_refused) {
  const auto parsed = Partition::parse("1e308:1e308");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message(),
            "partition: found '1e308:1e308', expected weights with a finite sum");
}

}  // namespace
}  // namespace kiln::testing
