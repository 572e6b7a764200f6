#include <gtest/gtest.h>

#include "format/allocations.hpp"
#include "format/kdb/samples.hpp"

// Whatever happens to a database's bytes, the parser refuses it or reads a model that says just
// what the bytes say; it never reads beyond them (run with the asan preset to see that).
namespace kiln::kdb::testing {
namespace {

using kiln::testing::allocated_bytes;

class KdbDamage : public ::testing::TestWithParam<Layout> {
 protected:
  Bytes bytes_ = bytes_of(small(GetParam()));
  Database model_ = *parse(bytes_);
};
INSTANTIATE_TEST_SUITE_P(Layouts, KdbDamage,
                         ::testing::Values(Layout::v3, Layout::v1, Layout::v1_wide));

TEST_P(KdbDamage, a_changed_byte_is_refused_or_changes_the_model) {
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes_.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      Bytes changed = bytes_;
      changed[at] = static_cast<std::byte>(value);
      if (changed == bytes_) continue;
      const std::size_t before = allocated_bytes();
      const auto database = parse(changed);
      // An error's text and the patterns, of which there are few, come on top of the file's size.
      ASSERT_LE(allocated_bytes() - before, 2 * bytes_.size() + 4096)
          << "byte " << at << " = " << value;
      if (!database) {
        ++refused;
        continue;
      }
      ASSERT_FALSE(*database == model_) << "byte " << at << " = " << value;
      ASSERT_TRUE(bytes_of(*database) == changed) << "byte " << at << " = " << value;
    }
  // Only the kernel binaries have no sum.
  EXPECT_EQ(refused, (bytes_.size() - model_.binaries.size()) * 255);
}

TEST_P(KdbDamage, a_changed_byte_is_read_where_sums_are_only_collected) {
  for (std::size_t at = 0; at < bytes_.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      Bytes changed = bytes_;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      std::vector<Finding> sums;
      const auto database = parse(changed, sums);
      if (!database) continue;
      ASSERT_FALSE(*database == model_ && sums.empty()) << "byte " << at << ", bit " << bit;
      for (const Finding& finding : verify(*database)) ASSERT_FALSE(finding.text.empty());
      ASSERT_FALSE(to_text(*database).empty());
    }
}

TEST_P(KdbDamage, every_truncation_is_refused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    // In a block of its own, so that a sanitizer sees a read beyond the end.
    const Bytes cut(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
    const auto database = parse(cut);
    // In version 3 nothing says how many patterns there are: a file may end after any of them.
    if (database && GetParam() == Layout::v3 && database->patterns.size() < 2) continue;
    ASSERT_FALSE(database) << size;
  }
}

TEST_P(KdbDamage, bytes_after_the_end_are_refused_or_binaries) {
  bytes_.push_back(std::byte{0});
  EXPECT_EQ(parse(bytes_).has_value(), GetParam() != Layout::v3);
}

TEST_P(KdbDamage, memory_is_bounded_by_the_bytes_of_a_large_file) {
  const auto database = convert(complete({}).database, GetParam());
  ASSERT_TRUE(database);
  const Bytes bytes = bytes_of(database->database);
  const std::size_t before = allocated_bytes();
  ASSERT_TRUE(parse(bytes));
  EXPECT_LE(allocated_bytes() - before, 2 * bytes.size());
}

}  // namespace
}  // namespace kiln::kdb::testing
