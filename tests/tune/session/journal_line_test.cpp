#include "tune/session/journal_line.hpp"

#include <gtest/gtest.h>

namespace kiln::tune {
namespace {

TEST(Decision, is_explained_by_the_play_off_and_by_what_won_in_its_place) {
  EXPECT_EQ(explanation_of(Decision::play_off, 2, 8), "Play-off of 2 finalists, 8 rounds");
  EXPECT_EQ(explanation_of(Decision::play_off, 1, 0),
            "No other candidate was close enough for a play-off");
  EXPECT_EQ(explanation_of(Decision::built_in, 3, 8),
            "Play-off of 3 finalists, 8 rounds; no candidate was measurably faster than the "
            "built-in parameters");
  EXPECT_EQ(explanation_of(Decision::earlier_record, 1, 0),
            "No other candidate was close enough for a play-off; the earlier record was faster "
            "than what this search found");
  EXPECT_EQ(explanation_of(Decision::interrupted, 1, 0),
            "The best so far; the search was ended before the play-off");
}

}  // namespace
}  // namespace kiln::tune
