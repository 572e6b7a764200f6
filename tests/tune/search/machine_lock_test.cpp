#include "tune/search/machine_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune::testing {
namespace {

using ::testing::HasSubstr;
using Waited = MachineLock::Waited;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

class MachineLockTest : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "lock"; }
  MachineLock open() const { return value_or_throw(MachineLock::open(path())); }
  static Clock::time_point never() { return Clock::now() + std::chrono::hours(1000); }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-lock-test"));
};

TEST_F(MachineLockTest, is_held_by_one_at_a_time) {
  auto first = open(), second = open();
  EXPECT_TRUE(first.try_lock());
  EXPECT_FALSE(second.try_lock());
  first.unlock();
  EXPECT_EQ(second.wait(never(), [] { return true; }), Waited::locked);
  EXPECT_FALSE(first.try_lock());
}

TEST_F(MachineLockTest, says_which_process_has_it) {
  auto first = open(), second = open();
  EXPECT_EQ(second.holder(), 0);
  ASSERT_TRUE(first.try_lock());
  EXPECT_EQ(second.holder(), ::getpid());
}

TEST_F(MachineLockTest, a_wait_ends_at_its_bound) {
  auto first = open(), second = open();
  ASSERT_TRUE(first.try_lock());
  EXPECT_EQ(second.wait(Clock::now(), [] { return true; }), Waited::late);
  first.unlock();
  EXPECT_TRUE(first.try_lock()) << "who gave up has nothing";
}

TEST_F(MachineLockTest, a_wait_ends_when_it_is_told_to) {
  auto first = open(), second = open();
  ASSERT_TRUE(first.try_lock());
  int asked = 0;
  EXPECT_EQ(second.wait(never(), [&] { return ++asked < 3; }), Waited::stopped);
  EXPECT_EQ(asked, 3);
  first.unlock();
  EXPECT_TRUE(first.try_lock()) << "who gave up has nothing";
}

TEST_F(MachineLockTest, who_waits_gets_it_when_it_is_given_back_and_keeps_it) {
  auto first = open(), second = open(), third = open();
  ASSERT_TRUE(first.try_lock());
  const auto given_back = [&] {
    first.unlock();
    return true;
  };
  EXPECT_EQ(second.wait(never(), given_back), Waited::locked);
  EXPECT_FALSE(third.try_lock());
  second.unlock();
  EXPECT_TRUE(third.try_lock());
}

TEST_F(MachineLockTest, follows_no_link_and_takes_no_folder_for_a_file) {
  fs::create_symlink(folder_.path() / "elsewhere", path());
  EXPECT_FALSE(MachineLock::open(path()));
  EXPECT_FALSE(fs::exists(folder_.path() / "elsewhere"));
  EXPECT_FALSE(MachineLock::open(folder_.path()));
}

/// Sets a variable for one test.
class RuntimeFolder : public MachineLockTest {
 protected:
  RuntimeFolder() { ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  ~RuntimeFolder() override {
    before_.empty() ? ::unsetenv("XDG_RUNTIME_DIR")
                    : ::setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
  }
  fs::path own() const { return folder_.path() / "kiln"; }

 private:
  std::string before_ = [] {
    const char* value = std::getenv("XDG_RUNTIME_DIR");
    return std::string(value == nullptr ? "" : value);
  }();
};

TEST_F(RuntimeFolder, is_made_for_its_user_alone_and_has_the_lock) {
  ASSERT_TRUE(MachineLock::open());
  struct stat status {};
  ASSERT_EQ(::stat(own().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  EXPECT_TRUE(fs::exists(own() / "tuner.lock"));
}

TEST_F(RuntimeFolder, is_refused_where_others_can_get_in) {
  const auto refusal = [] {
    const auto lock = MachineLock::open();
    return lock ? std::string() : lock.error().message();
  };
  fs::create_directory(own());
  for (const unsigned mode : {0777u, 0770u, 0755u, 01777u}) {
    ASSERT_EQ(::chmod(own().c_str(), mode), 0);
    EXPECT_THAT(refusal(), HasSubstr("open to other users")) << std::oct << mode;
  }
  fs::remove(own());
  fs::create_directory(folder_.path() / "private");
  fs::create_directory_symlink(folder_.path() / "private", own());
  EXPECT_THAT(refusal(), HasSubstr("a symbolic link"));
  fs::remove(own());
  value_or_throw(write_file(own(), {}));
  EXPECT_THAT(refusal(), HasSubstr("not a folder"));
  fs::remove(own());
  if (::geteuid() != 0) return;
  fs::create_directory(own());
  ASSERT_EQ(::chmod(own().c_str(), 0700), 0);
  ASSERT_EQ(::chown(own().c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal(), HasSubstr("of another user"));
}

}  // namespace
}  // namespace kiln::tune::testing
