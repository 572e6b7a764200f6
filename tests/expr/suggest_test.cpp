#include "expr/suggest.hpp"

#include <gtest/gtest.h>

namespace kiln::expr {
namespace {

TEST(Suggestion, is_the_nearest_known_word) {
  EXPECT_EQ(suggestion("dataste", {"database", "dataset"}), "; did you mean 'dataset'?");
}

TEST(Suggestion, takes_the_wrong_case_for_the_smallest_slip) {
  EXPECT_EQ(suggestion("N", {"dataset", "n"}), "; did you mean 'n'?");
}

TEST(Suggestion, lists_the_known_words_where_none_is_near_and_they_are_few) {
  EXPECT_EQ(suggestion("q", {"dataset", "n"}), "; known: 'dataset', 'n'");
  EXPECT_EQ(suggestion("q", {}), "");
  EXPECT_EQ(suggestion("q", {"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"}), "");
}

TEST(Suggestion, is_not_sought_for_words_of_absurd_length) {
  EXPECT_EQ(suggestion(std::string(1000000, 'a'), {"dataset"}), "; known: 'dataset'");
  EXPECT_EQ(suggestion("dataset", {std::string(1000000, 'a'), "datase"}),
            "; did you mean 'datase'?");
}

}  // namespace
}  // namespace kiln::expr
