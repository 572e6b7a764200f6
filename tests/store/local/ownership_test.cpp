// Folders and files that another user could have written: nothing of them is used.
#include "base/os/ownership.hpp"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/local/system_store.hpp"
#include "store/support.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uid_t other_user = 12345;

struct OwnershipTest : ::testing::Test {
  TestFolder folder;
  Sample small{1}, large{2};

  std::string path(const std::string& name) const { return folder.store() + name; }
  void fill() const {
    LocalStore store(folder.store());
    value_or_throw(store.put(Kind::artifact, small.key, small.canonical, content_of(1, 0, 10), {}));
    value_or_throw(
        store.put(Kind::artifact, large.key, large.canonical, content_of(2, 0, 50'000), {}));
  }
  std::string blob() const {
    for (const auto& shelf : names_in(path("/blobs")))
      for (const auto& name : names_in(path("/blobs/" + shelf)))
        return path("/blobs/" + shelf + "/" + name);
    throw Error(Errc::not_found, "no content has a file");
  }
  void expect_refused(const std::string& reason) const {
    LogLines log;
    LocalStore store(folder.store());
    for (const Sample* sample : {&small, &large}) {
      const auto found = store.get(Kind::artifact, sample->key, sample->canonical);
      EXPECT_FALSE(found.entry);
      EXPECT_THAT(found.reason, HasSubstr(reason));
      const auto put =
          store.put(Kind::artifact, sample->key, sample->canonical, content_of(3, 0, 20'000), {});
      ASSERT_FALSE(put);
      EXPECT_THAT(put.error().message(), HasSubstr(reason));
    }
    EXPECT_THAT(log.lines(), SizeIs(1));
  }
};

TEST_F(OwnershipTest, a_folder_that_its_group_may_write_to_is_refused) {
  fill();
  ASSERT_EQ(::chmod(folder.store().c_str(), 0770), 0);
  expect_refused(folder.store() +
                 " can be written by its group (mode 0770); expected its owner "
                 "alone: chmod go-w");
}

TEST_F(OwnershipTest, files_that_others_may_write_to_are_refused) {
  fill();
  for (const char* name : {"/store.db", "/store.db-journal", "/blobs"})
    for (const mode_t more : {S_IWGRP, S_IWOTH}) {
      SCOPED_TRACE(name);
      struct stat status {};
      ASSERT_EQ(::stat(path(name).c_str(), &status), 0);
      ASSERT_EQ(::chmod(path(name).c_str(), (status.st_mode & 07777) | more), 0);
      expect_refused(path(name) + " can be written by ");
      ASSERT_EQ(::chmod(path(name).c_str(), status.st_mode & 07777), 0);
    }
  LocalStore store(folder.store());
  EXPECT_TRUE(store.get(Kind::artifact, large.key, large.canonical).entry);
}

TEST_F(OwnershipTest, files_of_another_user_are_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fill();
  for (const char* name : {"/store.db", "/store.db-journal", "/blobs"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(::chown(path(name).c_str(), other_user, other_user), 0);
    expect_refused(path(name) + " belongs to another user (id 12345");
    ASSERT_EQ(::chown(path(name).c_str(), 0, 0), 0);
  }
}

TEST_F(OwnershipTest, a_content_that_another_user_wrote_is_a_miss) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fill();
  ASSERT_EQ(::chown(blob().c_str(), other_user, other_user), 0);
  LocalStore store(folder.store());
  EXPECT_THAT(store.get(Kind::artifact, large.key, large.canonical).reason,
              HasSubstr("belongs to another user"));
  EXPECT_TRUE(store.get(Kind::artifact, small.key, small.canonical).entry);
  // A new one takes its place.
  ASSERT_TRUE(store.put(Kind::artifact, large.key, large.canonical, content_of(2, 0, 50'000), {}));
  EXPECT_TRUE(store.get(Kind::artifact, large.key, large.canonical).entry);
}

TEST_F(OwnershipTest, a_store_below_a_folder_of_everybody_is_refused_unless_its_sticky_bit_is_set) {
  const std::string parent = folder.folder.path() / "shared";
  const std::string inside = parent + "/deep/store", link = folder.folder.path() / "link";
  std::filesystem::create_directories(parent);
  std::filesystem::create_directory_symlink(inside, link);
  ASSERT_EQ(::chmod(parent.c_str(), 01777), 0);
  {
    LocalStore store(inside);
    ASSERT_TRUE(store.put(Kind::artifact, small.key, small.canonical, {}, {}));
  }
  ASSERT_EQ(::chmod(parent.c_str(), 0777), 0);
  for (const auto& way : {inside, link}) {
    LogLines log;
    LocalStore store(way);
    EXPECT_THAT(store.get(Kind::artifact, small.key, small.canonical).reason,
                HasSubstr("every user may replace " + way + ": " + parent +
                          " can be written by every user"));
    EXPECT_FALSE(store.put(Kind::artifact, large.key, large.canonical, {}, {}));
  }
  // Nothing is made there either.
  LocalStore absent(parent + "/other");
  EXPECT_FALSE(absent.put(Kind::artifact, small.key, small.canonical, {}, {}));
  EXPECT_FALSE(std::filesystem::exists(parent + "/other"));
}

TEST_F(OwnershipTest, a_link_to_the_store_in_a_folder_of_everybody_is_refused) {
  fill();
  const std::string parent = folder.folder.path() / "shared";
  std::filesystem::create_directory(parent);
  std::filesystem::create_directory_symlink(folder.store(), parent + "/link");
  ASSERT_EQ(::chmod(parent.c_str(), 0777), 0);
  LogLines log;
  LocalStore store(parent + "/link");
  EXPECT_THAT(store.get(Kind::artifact, small.key, small.canonical).reason,
              HasSubstr("every user may replace"));
}

TEST_F(OwnershipTest, a_link_that_is_led_to_by_another_is_looked_at_too) {
  fill();
  const std::string parent = folder.folder.path() / "shared",
                    first = folder.folder.path() / "first";
  std::filesystem::create_directory(parent);
  std::filesystem::create_directory_symlink(folder.store(), parent + "/second");
  std::filesystem::create_directory_symlink(parent + "/second", first);
  EXPECT_EQ(replaceable_by_others(first + "/store.db"), "");
  ASSERT_EQ(::chmod(parent.c_str(), 0777), 0);
  EXPECT_THAT(replaceable_by_others(first + "/store.db"), HasSubstr(": " + parent + " can be"));
  // Links that lead round in a ring are refused.
  std::filesystem::create_directory_symlink(folder.folder.path() / "ring",
                                            folder.folder.path() / "ring");
  EXPECT_NE(replaceable_by_others(folder.folder.path() / "ring" / "x"), "");
}

TEST_F(OwnershipTest, the_system_store_may_be_roots_and_nobody_elses) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fill();
  std::filesystem::remove(path("/store.db-journal"));
  for (const char* name : {"", "/store.db", "/blobs"})
    ASSERT_EQ(::chmod(path(name).c_str(), *name == '/' && name[1] == 's' ? 0644 : 0755), 0);
  const std::string file = blob();
  for (const std::string& name :
       {file, std::filesystem::path(file).parent_path().string(), folder.folder.path().string()})
    ASSERT_EQ(::chmod(name.c_str(), 0755), 0);
  const auto as_user = [&](const Sample& sample) {
    return run_child([&] {
      if (::setgroups(0, nullptr) != 0 || ::setgid(other_user) != 0 || ::setuid(other_user) != 0)
        return 77;
      SystemStore store(folder.store());
      return store.get(Kind::artifact, sample.key, sample.canonical).entry ? 1 : 0;
    });
  };
  EXPECT_EQ(as_user(large).exit_code, 1);
  for (const std::string& name : {path(""), path("/store.db"), path("/blobs"), file}) {
    ASSERT_EQ(::chown(name.c_str(), 4321, 4321), 0);
    EXPECT_EQ(as_user(large).exit_code, 0) << name;
    ASSERT_EQ(::chown(name.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(as_user(large).exit_code, 1);
}

TEST_F(OwnershipTest, a_path_that_sqlite_cannot_open_is_refused_with_its_length) {
  std::string longest = folder.folder.path().string();
  while (longest.size() + 101 < longest_store_folder) longest += "/" + std::string(99, 'd');
  longest += "/" + std::string(longest_store_folder - longest.size() - 1, 'e');
  {
    LocalStore store(longest);
    ASSERT_TRUE(store.put(Kind::artifact, small.key, small.canonical, content_of(1, 0, 50'000), {}))
        << "the bound is the true one";
    EXPECT_TRUE(store.get(Kind::artifact, small.key, small.canonical).entry);
  }
  const std::string reason = "its path has 496 bytes; at most 495 are supported";
  // A link's own length says nothing.
  const std::string link = folder.folder.path() / "link";
  std::filesystem::rename(longest, longest + "e");
  std::filesystem::create_directory_symlink(longest + "e", link);
  for (const auto& way : {longest + "e", link}) {
    LogLines log;
    LocalStore store(way);
    EXPECT_THAT(store.get(Kind::artifact, small.key, small.canonical).reason, HasSubstr(reason));
    EXPECT_FALSE(store.put(Kind::artifact, small.key, small.canonical, {}, {}));
    EXPECT_FALSE(store.list());
    EXPECT_FALSE(store.stats());
    EXPECT_THAT(log.lines(), SizeIs(1));
  }
}

}  // namespace
}  // namespace kiln
