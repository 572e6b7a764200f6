// The folders of searches: whose are removed, and whose are not.
#include "tune/conduct/search_processes.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "kernel/support.hpp"

namespace kiln::tune {
namespace {

namespace fs = std::filesystem;

class ScratchFolderTest : public ::testing::Test {
 protected:
  ScratchFolderTest() {
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", parent_.path().c_str(), 1);
  }
  ~ScratchFolderTest() override {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
  }
  fs::path in(const std::string& name) const { return parent_.path() / name; }
  /// As a killed search leaves it.
  void leave(const std::string& name) const {
    fs::create_directories(in(name) / "programs" / "deep");
    ASSERT_TRUE(write_file(in(name) / "lock", {}));
    ASSERT_TRUE(write_file(in(name) / "programs" / "deep" / "file", {}));
  }
  TemporaryFolder parent_ = value_or_throw(TemporaryFolder::create("kiln-scratch-test"));
  std::optional<std::string> before_;
};

TEST_F(ScratchFolderTest, goes_with_its_object) {
  fs::path place;
  {
    const auto scratch = value_or_throw(ScratchFolder::create());
    place = scratch.path();
    EXPECT_TRUE(fs::is_directory(place));
    EXPECT_EQ(place.parent_path().parent_path(), parent_.path());
  }
  EXPECT_FALSE(fs::exists(place.parent_path()));
}

TEST_F(ScratchFolderTest, of_a_killed_search_goes_with_the_next) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto scratch = ScratchFolder::create();
    if (!scratch || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto count = [&] {
    return std::distance(fs::directory_iterator(parent_.path()), fs::directory_iterator());
  };
  remove_left_scratch(parent_.path());
  EXPECT_EQ(count(), 1) << "it lives";
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(count(), 1);
  const auto next = value_or_throw(ScratchFolder::create());
  EXPECT_EQ(count(), 1) << "its own";
  EXPECT_TRUE(fs::exists(next.path()));
  ::close(ready[0]), ::close(ready[1]);
}

TEST_F(ScratchFolderTest, what_is_anything_else_stays) {
  leave("kiln-tune-abcDE1");
  leave("elsewhere");
  leave("kiln-tune-abcDE12");                      // longer
  leave("kiln-tuner-abcDE");                       // another's
  fs::create_directories(in("kiln-tune-nolock"));  // which may be just being made
  fs::create_directory_symlink(in("elsewhere"), in("kiln-tune-links1"));
  fs::create_directories(in("kiln-tune-links2"));
  fs::create_symlink(in("elsewhere") / "lock", in("kiln-tune-links2") / "lock");
  ASSERT_TRUE(write_file(in("kiln-tune-afile1"), {}));
  // Links inside go, what they lead to stays.
  fs::create_directory_symlink(in("elsewhere"), in("kiln-tune-abcDE1") / "link");
  remove_left_scratch(parent_.path());
  EXPECT_FALSE(fs::exists(in("kiln-tune-abcDE1")));
  for (const char* name :
       {"kiln-tune-abcDE12", "kiln-tuner-abcDE", "kiln-tune-nolock", "kiln-tune-links1",
        "kiln-tune-links2/lock", "kiln-tune-afile1", "elsewhere/programs/deep/file"})
    EXPECT_TRUE(fs::exists(in(name))) << name;
}

// What is compiled meanwhile would take a processor's time from the measurements.
TEST(LookAtDevice, tells_processors_from_other_devices) {
  const auto known = look_at_device([] { return kiln::testing::cpu_device(); });
  EXPECT_TRUE(known.is_cpu);
  EXPECT_EQ(known.nearness.type, name_of(DeviceType::cpu));
}

}  // namespace
}  // namespace kiln::tune
