#include "store/trust/trust.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "store/travel_support.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Variable;

const Bytes message = testing::content_of(1, 1, 50);

struct TrustTest : ::testing::Test {
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create());
  SigningKey ours = SigningKey::generate(), foreign = SigningKey::generate();
  // No list but those of a test.
  Variable home{"HOME", folder.path().string()}, config{"XDG_CONFIG_HOME", ""},
      named{"KILN_TRUSTED_KEYS", ""}, key{"KILN_SIGNING_KEY", ""};

  std::string write(const std::string& name, const std::string& text, unsigned mode = 0644) const {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    value_or_throw(write_file(path, as_bytes(text), mode));
    return path.string();
  }
};

TEST_F(TrustTest, without_a_list_an_entry_may_be_unsigned_but_not_badly_signed) {
  const Trust trust;
  EXPECT_EQ(trust.refusal({}, message), "");
  EXPECT_EQ(trust.refusal(foreign.sign(message), message), "");
  EXPECT_EQ(trust.refusal(foreign.sign(as_bytes("else")), message),
            "its signature does not verify");
}

TEST_F(TrustTest, with_a_list_only_good_signatures_of_listed_keys_do) {
  const Trust trust{true, {ours.public_key()}, "/the/list"};
  EXPECT_EQ(trust.refusal(ours.sign(message), message), "");
  EXPECT_EQ(trust.refusal({}, message), "unsigned");
  EXPECT_EQ(trust.refusal(foreign.sign(message), message),
            "signed by " + foreign.public_key().hex() + ", which is not listed in /the/list");
  EXPECT_EQ(trust.refusal(ours.sign(as_bytes("else")), message), "its signature does not verify");
  auto forged = foreign.sign(message);
  forged.signer = ours.public_key();
  EXPECT_EQ(trust.refusal(forged, message), "its signature does not verify");
}

TEST_F(TrustTest, an_empty_list_trusts_no_key) {
  const Trust trust = value_or_throw(read_trust(write("list", "# none yet\n")));
  EXPECT_TRUE(trust.required);
  EXPECT_NE(trust.refusal({}, message), "");
  EXPECT_NE(trust.refusal(ours.sign(message), message), "");
}

TEST_F(TrustTest, a_list_has_keys_names_and_comments) {
  const auto path = write("list", "# ours\n\n" + ours.public_key().hex() + " the build farm\r\n\t" +
                                      foreign.public_key().hex() + "# a friend");
  const Trust trust = value_or_throw(read_trust(path));
  EXPECT_THAT(trust.keys, ElementsAre(ours.public_key(), foreign.public_key()));
  EXPECT_EQ(trust.origin, path);
}

TEST_F(TrustTest, a_bad_line_is_named_and_spoils_the_list) {
  const auto path = write("list", ours.public_key().hex() + "\n\nabcd farm\n");
  const auto trust = read_trust(path);
  ASSERT_FALSE(trust);
  EXPECT_EQ(trust.error().message(), path + ":3: not a public key: expected 64 hexadecimal digits");
}

TEST_F(TrustTest, a_list_that_others_may_write_is_refused) {
  for (const unsigned mode : {0664u, 0646u}) {
    const auto trust = read_trust(write("list", ours.public_key().hex() + "\n", mode));
    ASSERT_FALSE(trust);
    EXPECT_THAT(trust.error().message(), HasSubstr("only its owner may write it"));
  }
}

TEST_F(TrustTest, the_environment_names_the_list) {
  const auto list = write("mine", ours.public_key().hex());
  write(".config/kiln/trusted-keys", foreign.public_key().hex());
  {
    const Variable mine("KILN_TRUSTED_KEYS", list);
    EXPECT_THAT(default_trust().keys, ElementsAre(ours.public_key()));
  }
  EXPECT_THAT(default_trust().keys, ElementsAre(foreign.public_key()));
  const Variable none("KILN_TRUSTED_KEYS", "off");
  EXPECT_FALSE(default_trust().required);
}

TEST_F(TrustTest, the_configuration_folder_comes_before_the_home_folder) {
  write(".config/kiln/trusted-keys", foreign.public_key().hex());
  write("config/kiln/trusted-keys", ours.public_key().hex());
  {
    const Variable folder_of_xdg("XDG_CONFIG_HOME", (folder.path() / "config").string());
    EXPECT_THAT(default_trust().keys, ElementsAre(ours.public_key()));
  }
  const Variable relative("XDG_CONFIG_HOME", "config");
  EXPECT_THAT(default_trust().keys, ElementsAre(foreign.public_key()));
}

TEST_F(TrustTest, a_list_that_cannot_be_read_trusts_nobody_and_says_so_once) {
  const auto broken = write("broken", "no key\n");
  const auto open = write("open", ours.public_key().hex(), 0666);
  for (const auto& path : {folder.path().string() + "/absent", broken, open, folder.path().string(),
                           std::string("/dev/null")}) {
    const testing::LogLines log;
    const Variable list("KILN_TRUSTED_KEYS", path);
    const Trust trust = default_trust();
    EXPECT_TRUE(trust.required) << path;
    EXPECT_THAT(trust.keys, IsEmpty());
    EXPECT_EQ(trust.origin, path);
    ASSERT_EQ(log.lines().size(), 1u);
    EXPECT_THAT(log.lines()[0], HasSubstr(path));
    EXPECT_THAT(log.lines()[0], HasSubstr("nothing that was made elsewhere is used"));
  }
}

TEST_F(TrustTest, a_link_that_leads_nowhere_is_a_list_that_cannot_be_read) {
  std::filesystem::create_directories(folder.path() / ".config/kiln");
  std::filesystem::create_symlink("/absent", folder.path() / ".config/kiln/trusted-keys");
  EXPECT_TRUE(default_trust().required);
  EXPECT_THAT(default_trust().keys, IsEmpty());
}

TEST_F(TrustTest, a_signing_key_is_where_the_environment_says) {
  EXPECT_FALSE(value_or_throw(default_signing_key()).has_value());
  write(".config/kiln/signing-key", ours.text(), 0600);
  EXPECT_EQ(value_or_throw(default_signing_key())->public_key(), ours.public_key());
  const auto other = write("other", foreign.text(), 0600);
  {
    const Variable file("KILN_SIGNING_KEY", other);
    EXPECT_EQ(value_or_throw(default_signing_key())->public_key(), foreign.public_key());
  }
  {
    const Variable absent("KILN_SIGNING_KEY", "/absent");
    EXPECT_EQ(default_signing_key().error().code(), Errc::not_found);
  }
  const Variable none("KILN_SIGNING_KEY", "off");
  EXPECT_FALSE(value_or_throw(default_signing_key()).has_value());
}

TEST_F(TrustTest, a_signing_key_that_others_may_read_is_an_error) {
  write(".config/kiln/signing-key", ours.text(), 0644);
  EXPECT_EQ(default_signing_key().error().code(), Errc::refused);
}

}  // namespace
}  // namespace kiln
