#include <gtest/gtest.h>

#include <set>

#include "format/archives.hpp"

namespace kiln::poclbin {
namespace {

TEST(PoclbinHash, the_device_id_is_fnv_1_of_the_device_string) {
  EXPECT_EQ(device_id("pthread-x86_64-pc-linux-gnu-skylake-avx512"), 0x02ee5be95d307b0cu);
  EXPECT_EQ(device_id(""), 0xcbf29ce484222325u);
  EXPECT_NE(device_id("cpu-x86_64-pc-linux-gnu-skylake-avx512"),
            device_id("pthread-x86_64-pc-linux-gnu-skylake-avx512"));
}

TEST(PoclbinHash, bytes_above_127_count_as_unsigned) {
  EXPECT_EQ(device_id("\xff"), (0xcbf29ce484222325u * 0x100000001b3u) ^ 0xffu);
}

TEST(PoclbinHash, a_build_hash_is_one_that_parse_accepts) {
  for (const std::string_view digest : {"", "a", "0123456789012345678901234567890123456789"}) {
    const std::string hash = build_hash(as_bytes(digest));
    EXPECT_EQ(hash.size(), 40u);
    EXPECT_EQ(hash[2], '/');
    auto archive = testing::small_archive();
    archive.build_hash = hash;
    EXPECT_EQ(testing::refusal(write(archive)), "accepted") << hash;
  }
}

TEST(PoclbinHash, equal_digests_give_equal_hashes_and_others_others) {
  EXPECT_EQ(build_hash(as_bytes("same")), build_hash(as_bytes("same")));
  std::set<std::string> hashes;
  for (int i = 0; i < 1000; ++i) hashes.insert(build_hash(bytes_of(i)));
  EXPECT_EQ(hashes.size(), 1000u);
  // A difference in the last byte of a long digest counts too.
  EXPECT_NE(build_hash(as_bytes(std::string(64, 'x'))),
            build_hash(as_bytes(std::string(63, 'x') + "y")));
}

}  // namespace
}  // namespace kiln::poclbin
