#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/support.hpp"
#include "store/trust/trust.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// RFC 8032, section 7.1, test 2.
constexpr const char* rfc_seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
constexpr const char* rfc_public =
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
constexpr const char* rfc_signature =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

SigningKey rfc_key() {
  return value_or_throw(SigningKey::parse("kiln-signing-key-1 " + std::string(rfc_seed) + "\n"));
}

TEST(Signature, is_the_ed25519_of_the_standard) {
  const auto key = rfc_key();
  EXPECT_EQ(key.public_key().hex(), rfc_public);
  const auto signature = key.sign(as_bytes("\x72"));
  EXPECT_EQ(to_hex(signature.bytes), rfc_signature);
  EXPECT_EQ(signature.signer, key.public_key());
  EXPECT_TRUE(verifies(signature, as_bytes("\x72")));
}

TEST(Signature, holds_for_its_bytes_its_signer_and_itself_only) {
  const auto key = SigningKey::generate();
  const Bytes message = testing::content_of(1, 1, 100);
  const auto signature = key.sign(message);
  ASSERT_TRUE(verifies(signature, message));
  for (std::size_t at = 0; at < message.size(); ++at) {
    auto changed = message;
    changed[at] ^= std::byte{1};
    EXPECT_FALSE(verifies(signature, changed)) << at;
  }
  for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
    auto changed = signature;
    changed.bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_FALSE(verifies(changed, message)) << bit;
  }
  auto other = signature;
  other.signer = SigningKey::generate().public_key();
  EXPECT_FALSE(verifies(other, message));
  EXPECT_FALSE(verifies(Signature{}, message)) << "all noughts are a key of small order";
}

TEST(Signature, of_the_same_bytes_is_the_same) {
  const auto key = SigningKey::generate();
  EXPECT_EQ(key.sign(as_bytes("x")), SigningKey(key).sign(as_bytes("x")));
}

TEST(SigningKey, its_text_is_read_back) {
  const auto key = SigningKey::generate();
  const auto again = value_or_throw(SigningKey::parse(key.text()));
  EXPECT_EQ(again.public_key(), key.public_key());
  EXPECT_NE(SigningKey::generate().public_key(), key.public_key());
  EXPECT_THAT(key.text(), ::testing::MatchesRegex("kiln-signing-key-1 [0-9a-f]{64}\n"));
}

TEST(SigningKey, other_texts_are_refused_without_being_told) {
  const std::string good = SigningKey::generate().text();
  const std::string letters = good.substr(good.find(' ') + 1, 64);
  for (const std::string& text :
       {std::string(), letters, "kiln-signing-key-2 " + letters, good + "\n", good + "x",
        "kiln-signing-key-1 " + letters.substr(1), "kiln-signing-key-1 " + letters.substr(2),
        "kiln-signing-key-1 g" + letters.substr(1), " " + good, good.substr(0, 40)}) {
    const auto key = SigningKey::parse(text);
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().code(), Errc::bad_input);
    EXPECT_THAT(key.error().message(), Not(HasSubstr(letters.substr(10, 8))));
  }
}

struct KeyFile : ::testing::Test {
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create());
  std::string path = (folder.path() / "key").string();
  void write(unsigned mode) const {
    ASSERT_TRUE(write_file(path, as_bytes(rfc_key().text()), mode));
  }
};

TEST_F(KeyFile, is_read_where_only_its_owner_may) {
  for (const unsigned mode : {0600u, 0400u}) {
    write(mode);
    const auto key = SigningKey::read(path);
    ASSERT_TRUE(key) << key.error().message();
    EXPECT_EQ(key->public_key().hex(), rfc_public);
  }
}

TEST_F(KeyFile, is_refused_where_others_may_touch_it) {
  for (const unsigned mode : {0644u, 0640u, 0604u, 0620u, 0602u, 0610u}) {
    write(mode);
    const auto key = SigningKey::read(path);
    ASSERT_FALSE(key) << mode;
    EXPECT_EQ(key.error().code(), Errc::refused);
    EXPECT_THAT(key.error().message(), HasSubstr("chmod 600 " + path));
  }
}

TEST_F(KeyFile, of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  write(0600);
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  const auto key = SigningKey::read(path);
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().message(), HasSubstr("belongs to user 12345"));
}

TEST_F(KeyFile, errors_name_the_file) {
  const auto absent = SigningKey::read(path);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code(), Errc::not_found);
  EXPECT_THAT(absent.error().message(), HasSubstr(path));
  ASSERT_TRUE(write_file(path, as_bytes("something else"), 0600));
  EXPECT_THAT(SigningKey::read(path).error().message(), HasSubstr(path + ": not a signing key"));
  std::filesystem::resize_file(path, 1 << 20);
  EXPECT_THAT(SigningKey::read(path).error().message(), HasSubstr("1048576 bytes"));
  EXPECT_THAT(SigningKey::read(folder.path().string()).error().message(),
              HasSubstr("not a regular file"));
}

TEST(PublicKey, is_read_from_its_letters) {
  const auto key = SigningKey::generate().public_key();
  EXPECT_EQ(value_or_throw(parse_public_key(key.hex())), key);
  EXPECT_FALSE(parse_public_key(key.hex().substr(1)));
  EXPECT_FALSE(parse_public_key(key.hex() + "00"));
  EXPECT_FALSE(parse_public_key("x" + key.hex().substr(1)));
  EXPECT_FALSE(parse_public_key("")) << "nothing";
}

TEST(PublicKey, that_is_no_point_of_the_curve_is_refused) {
  for (const char letter : {'0', 'f'}) {
    const auto key = parse_public_key(std::string(64, letter));
    ASSERT_FALSE(key);
    EXPECT_THAT(key.error().message(), HasSubstr("not an Ed25519 key"));
  }
}

RC_GTEST_PROP(SigningKeyProperty, any_text_is_read_safely, (const std::string& text)) {
  RC_ASSERT(!SigningKey::parse(text));
  RC_ASSERT(!SigningKey::parse("kiln-signing-key-1 " + text));
  RC_ASSERT(!parse_public_key(text));
}

}  // namespace
}  // namespace kiln
