#include "base/data/digest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unordered_set>

namespace kiln {
namespace {

TEST(Digest, is_blake2b_of_256_bits) {
  // Published values of BLAKE2b with a 32-byte result and no key.
  EXPECT_EQ(blake2b({}).hex(), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(blake2b(as_bytes("abc")).hex(),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Digest, the_brief_form_is_its_start) {
  const Digest digest = blake2b(as_bytes("abc"));
  EXPECT_EQ(digest.brief(), "bddd813c63423972");
}

TEST(Digest, is_read_from_its_hexadecimal_form_only) {
  const Digest digest = blake2b(as_bytes("abc"));
  Digest read;
  ASSERT_TRUE(parse_digest(digest.hex(), read));
  EXPECT_EQ(read, digest);
  EXPECT_FALSE(parse_digest("", read));
  EXPECT_FALSE(parse_digest(digest.brief(), read));
  EXPECT_FALSE(parse_digest(digest.hex() + "00", read));
  EXPECT_FALSE(parse_digest("x" + digest.hex().substr(1), read));
  EXPECT_EQ(read, digest) << "a refused text changes nothing";
}

TEST(Digest, equal_digests_hash_alike) {
  std::unordered_set<Digest, DigestHash> set;
  for (int i = 0; i < 100; ++i) set.insert(blake2b(bytes_of(i)));
  EXPECT_EQ(set.size(), 100u);
  EXPECT_TRUE(set.contains(blake2b(bytes_of(7))));
}

TEST(Digest, the_checksum_is_xxh3_of_128_bits) {
  // Published value for the empty input with seed 0.
  EXPECT_EQ(xxh3({}), (Checksum{0x6001c324468d497f, 0x99aa06d3014798d8}));
  EXPECT_NE(xxh3(as_bytes("a")), xxh3(as_bytes("b")));
}

RC_GTEST_PROP(DigestProperty, pieces_give_the_digest_of_the_whole,
              (std::vector<std::string> pieces)) {
  Blake2b state;
  std::string whole;
  for (const auto& piece : pieces) {
    state.update(as_bytes(piece));
    whole += piece;
  }
  RC_ASSERT(state.finish() == blake2b(as_bytes(whole)));
}

}  // namespace
}  // namespace kiln
