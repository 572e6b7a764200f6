#include "base/os/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/log.hpp"
#include "base/os/file.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;

TEST(Environment, a_switch_that_is_neither_on_nor_off_is_on_and_told_once) {
  std::string told;
  set_log_sink([&](LogLevel, std::string_view line) { told += std::string(line) + "\n"; });
  const char* name = "KILN_TEST_SWITCH";
  ::unsetenv(name);
  EXPECT_TRUE(is_on(name));
  for (const char* value : {"", "on"}) {
    ::setenv(name, value, 1);
    EXPECT_TRUE(is_on(name)) << value;
  }
  ::setenv(name, "off", 1);
  EXPECT_FALSE(is_on(name));
  EXPECT_EQ(told, "");
  for (int again = 0; again < 2; ++again) {
    ::setenv(name, "may\nbe", 1);
    EXPECT_TRUE(is_on(name));
  }
  EXPECT_EQ(told, "KILN_TEST_SWITCH: found 'may\\nbe', expected on or off; taken as on\n");
  set_log_sink({});
  ::unsetenv(name);
}

TEST(Environment, a_folder_of_the_user_is_where_the_base_directories_say) {
  const std::string home = environment("HOME"), config = environment("XDG_CONFIG_HOME");
  ::setenv("HOME", "/home/u", 1);
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(user_folder(UserFolder::config), "/home/u/.config/kiln");
  EXPECT_EQ(variable_of(UserFolder::config), "HOME");
  ::setenv("XDG_CONFIG_HOME", "/etc/u", 1);
  EXPECT_EQ(user_folder(UserFolder::config), "/etc/u/kiln");
  ::setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_EQ(user_folder(UserFolder::config), "/home/u/.config/kiln");
  ::unsetenv("HOME");
  EXPECT_EQ(user_folder(UserFolder::config), "");
  EXPECT_EQ(variable_of(UserFolder::config), "");
  if (!home.empty()) ::setenv("HOME", home.c_str(), 1);
  config.empty() ? ::unsetenv("XDG_CONFIG_HOME") : ::setenv("XDG_CONFIG_HOME", config.c_str(), 1);
}

/// The folder of one user's locks and sockets: whatever others could have put there is refused.
struct RuntimeFolder : ::testing::Test {
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-runtime"));
  const std::string above = (folder.path() / "above").string();
  std::string before = std::getenv("XDG_RUNTIME_DIR") ? std::getenv("XDG_RUNTIME_DIR") : "";

  void SetUp() override {
    std::filesystem::create_directory(above);
    ::setenv("XDG_RUNTIME_DIR", above.c_str(), 1);
  }
  void TearDown() override {
    before.empty() ? ::unsetenv("XDG_RUNTIME_DIR") : ::setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
  }
  static void expect_refused(const std::string& found) {
    const auto made = runtime_folder();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::refused);
    EXPECT_THAT(made.error().message(), HasSubstr(found));
  }
};

TEST_F(RuntimeFolder, is_made_for_its_user_alone) {
  EXPECT_EQ(value_or_throw(runtime_folder()), std::filesystem::path(above) / "kiln");
  struct stat status {};
  ASSERT_EQ(::stat((above + "/kiln").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(RuntimeFolder, is_refused_where_others_may_enter_it) {
  value_or_throw(runtime_folder());
  for (const mode_t mode : {0770u, 0707u, 0701u}) {
    ASSERT_EQ(::chmod((above + "/kiln").c_str(), mode), 0);
    expect_refused("a folder that is open to other users");
  }
}

TEST_F(RuntimeFolder, is_refused_below_a_folder_where_every_user_may_replace_it) {
  value_or_throw(runtime_folder());
  ASSERT_EQ(::chmod(above.c_str(), 0777), 0);
  expect_refused("every user may replace " + above + "/kiln: " + above + " can be written by");
  ASSERT_EQ(::chmod(above.c_str(), 01777), 0);
  EXPECT_TRUE(runtime_folder());
}

TEST_F(RuntimeFolder, is_refused_where_it_is_a_link) {
  std::filesystem::create_directory_symlink(folder.path(), above + "/kiln");
  expect_refused("found a symbolic link");
}

TEST_F(RuntimeFolder, is_refused_where_it_is_a_file) {
  value_or_throw(write_file(above + "/kiln", as_bytes("")));
  expect_refused("/kiln: not a folder, expected");
}

}  // namespace
}  // namespace kiln
