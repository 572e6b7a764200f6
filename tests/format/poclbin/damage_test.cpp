#include <gtest/gtest.h>

#include "format/allocations.hpp"
#include "format/poclbin/archives.hpp"

// Whatever happens to an archive's bytes, the parser refuses it or reads a model that says just
// what the bytes say; it never reads beyond them (run with the asan preset to see that).
namespace kiln::poclbin::testing {
namespace {

using kiln::testing::allocated_bytes;

class PoclbinDamage : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Bytes bytes_ = write(full_archive(GetParam()));
  Archive model_ = *parse(bytes_);
};
INSTANTIATE_TEST_SUITE_P(Versions, PoclbinDamage, ::testing::ValuesIn(all_versions()));

TEST_P(PoclbinDamage, a_changed_byte_is_refused_or_changes_the_model) {
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes_.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      Bytes changed = bytes_;
      changed[at] = static_cast<std::byte>(value);
      if (changed == bytes_) continue;
      const std::size_t before = allocated_bytes();
      const auto archive = parse(changed);
      // An error's text and the tables of names, which have a least size, come on top of the
      // file's.
      ASSERT_LE(allocated_bytes() - before, 2 * bytes_.size() + 4096)
          << "byte " << at << " = " << value;
      ASSERT_EQ(verify(changed).has_value(), archive.has_value()) << "byte " << at;
      if (!archive) {
        ++refused;
        continue;
      }
      ASSERT_FALSE(*archive == model_) << "byte " << at << " = " << value;
      ASSERT_TRUE(write(*archive) == changed) << "byte " << at << " = " << value;
    }
  // At least the bytes of lengths, counts, flags, the hash and the magic are all load-bearing.
  EXPECT_GT(refused, bytes_.size() * 255 / 3);
}

TEST_P(PoclbinDamage, every_truncation_is_refused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    // In a block of its own, so that a sanitizer sees a read beyond the end.
    const Bytes cut(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(parse(cut)) << size;
  }
}

TEST_P(PoclbinDamage, bytes_after_the_end_are_refused) {
  bytes_.push_back(std::byte{0});
  EXPECT_NE(refusal(bytes_).find("left over"), std::string::npos) << refusal(bytes_);
}

TEST_P(PoclbinDamage, no_32_bit_or_64_bit_field_can_be_made_huge) {
  for (std::size_t at = 0; at + 8 <= bytes_.size(); ++at)
    for (const std::uint64_t huge :
         {std::uint64_t{0xffffffff}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      Bytes changed = bytes_;
      std::memcpy(changed.data() + at, &huge, sizeof huge);
      const auto archive = parse(changed);
      if (!archive) continue;
      ASSERT_TRUE(write(*archive) == changed) << "byte " << at;
    }
}

}  // namespace
}  // namespace kiln::poclbin::testing
