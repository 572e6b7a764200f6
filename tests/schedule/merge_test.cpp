#include "schedule/merge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>

namespace kiln::testing {
namespace {

/// The same by a plain loop over elements.
MergeOutcome plain_merge(Bytes& result, const Bytes& changed, const Bytes& initial,
                         std::size_t unit) {
  MergeOutcome outcome;
  for (std::size_t at = 0; at < result.size(); at += unit) {
    const std::size_t end = std::min(at + unit, result.size());
    const auto same = [&](const Bytes& a, const Bytes& b) {
      return std::equal(a.begin() + at, a.begin() + end, b.begin() + at);
    };
    if (same(changed, initial)) continue;
    outcome.changed = true;
    if (same(result, initial)) {
      std::copy(changed.begin() + at, changed.begin() + end, result.begin() + at);
    } else if (!same(result, changed)) {
      outcome.conflict = at;
      return outcome;
    }
  }
  return outcome;
}

Bytes any_initial(std::size_t size) {
  Bytes bytes(size);
  const bool zeros = *rc::gen::arbitrary<bool>();
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  for (auto& byte : bytes)
    byte = zeros ? std::byte{0} : std::byte((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

/// A copy with some ranges changed; ranges lie near each other, so that conflicts happen.
Bytes altered(const Bytes& initial) {
  Bytes bytes = initial;
  if (bytes.empty()) return bytes;
  for (int ranges = *rc::gen::inRange(0, 4); ranges > 0; --ranges) {
    const auto begin = *rc::gen::inRange<std::size_t>(0, bytes.size());
    const auto length = *rc::gen::element<std::size_t>(1, 3, 16, 5000);
    const auto flip = static_cast<std::byte>(*rc::gen::inRange(1, 4));
    for (std::size_t i = begin; i < std::min(bytes.size(), begin + length); ++i) bytes[i] ^= flip;
  }
  return bytes;
}

std::size_t any_size() {
  return *rc::gen::element<std::size_t>(0, 1, 7, 64, 130, 4095, 4096, 4097, 8192, 12'345);
}

TEST(MergeChanges, the_same_change_conflicts_where_the_element_may_have_been_read) {
  const Bytes initial(8), changed{std::byte{5}, {}, {}, {}, {}, {}, {}, {}};
  Bytes result = changed;
  EXPECT_FALSE(merge_changes(result, changed, initial, 4).conflict);
  EXPECT_EQ(merge_changes(result, changed, initial, 4, SameChange::conflicts).conflict, 0u);
  // What only one of them changed is no conflict, whoever reads it.
  result = initial;
  EXPECT_FALSE(merge_changes(result, changed, initial, 4, SameChange::conflicts).conflict);
  EXPECT_EQ(result, changed);
}

TEST(MergeChanges, does_what_a_plain_loop_does) {
  EXPECT_TRUE(rc::check([] {
    const Bytes initial = any_initial(any_size());
    const auto unit = *rc::gen::element<std::size_t>(1, 2, 4, 8, 12, 20, 64, 128, 200, 4100, 9000);
    Bytes result = altered(initial), expected = result;
    const Bytes changed = altered(initial);
    const auto wanted = plain_merge(expected, changed, initial, unit);
    const auto outcome = merge_changes(result, changed, initial, unit);
    RC_TAG(wanted.conflict ? "conflict" : wanted.changed ? "merged" : "nothing to do");
    RC_ASSERT(outcome.conflict == wanted.conflict);
    if (!outcome.conflict) {
      RC_ASSERT(outcome.changed == wanted.changed);
      RC_ASSERT(result == expected);
    }
  }));
}

TEST(MergeChanges, no_initial_contents_stand_for_zeros) {
  EXPECT_TRUE(rc::check([] {
    const Bytes zeros(any_size());
    Bytes result = altered(zeros), same = result;
    const Bytes changed = altered(zeros);
    const auto unit = *rc::gen::element<std::size_t>(1, 4, 16, 24, 5000);
    const auto a = merge_changes(result, changed, {}, unit);
    const auto b = merge_changes(same, changed, zeros, unit);
    RC_ASSERT(a.conflict == b.conflict);
    RC_ASSERT(a.changed == b.changed);
    RC_ASSERT(result == same);
  }));
}

TEST(MergeChanges, disjoint_changes_are_united) {
  Bytes result(100), changed(100);
  std::fill_n(result.begin(), 40, std::byte{1});
  std::fill_n(changed.begin() + 40, 60, std::byte{2});
  const auto outcome = merge_changes(result, changed, {}, 4);
  EXPECT_FALSE(outcome.conflict);
  EXPECT_TRUE(outcome.changed);
  EXPECT_EQ(result[39], std::byte{1});
  EXPECT_EQ(result[40], std::byte{2});
  EXPECT_EQ(result[99], std::byte{2});
}

TEST(MergeChanges, equal_changes_agree) {
  Bytes result(64, std::byte{5});
  const Bytes changed = result;
  EXPECT_FALSE(merge_changes(result, changed, {}, 4).conflict);
}

TEST(MergeChanges, different_bytes_of_one_element_are_a_conflict_at_its_first_byte) {
  // 1 and 256 as integers: no byte that one changed was changed by the other.
  Bytes result(16), changed(16);
  result[8] = std::byte{1};
  changed[9] = std::byte{1};
  Bytes by_bytes = result;
  EXPECT_EQ(merge_changes(result, changed, {}, 4).conflict, std::optional<std::size_t>(8));
  EXPECT_FALSE(merge_changes(by_bytes, changed, {}, 1).conflict);
}

TEST(MergeChanges, elements_may_have_any_size_and_lie_across_blocks) {
  for (const std::size_t unit : {3, 12, 24, 256, 5000}) {
    // The element that holds byte 4096, where a block of powers of two would end.
    const std::size_t begin = 4096 / unit * unit;
    Bytes result(10'000), changed(10'000);
    result[begin] = std::byte{1};
    changed[begin + unit - 1] = std::byte{1};
    EXPECT_EQ(merge_changes(result, changed, {}, unit).conflict, std::optional(begin)) << unit;
    Bytes apart(10'000);
    apart[begin + unit] = std::byte{1};
    EXPECT_FALSE(merge_changes(apart, changed, {}, unit).conflict) << unit;
  }
}

TEST(MergeChanges, the_cut_off_last_element_is_compared_as_far_as_it_goes) {
  Bytes result(4096 + 6), changed(4096 + 6);
  result[4096 + 4] = std::byte{1};
  changed[4096 + 5] = std::byte{2};
  EXPECT_EQ(merge_changes(result, changed, {}, 4).conflict, std::optional<std::size_t>(4100));
}

}  // namespace
}  // namespace kiln::testing
