// Folders and disks that refuse: each gives a miss or an error with a reason, and no surprise.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int cannot_try = 77;

struct BadFolderTest : ::testing::Test {
  TestFolder folder;
  Sample a{1}, b{2};

  /// Both ways in fail with this reason, and one line is logged.
  void expect_unusable(const std::string& path, const std::string& reason) {
    LogLines log;
    LocalStore store(path);
    const auto put = store.put(Kind::artifact, a.key, a.canonical, content_of(1, 0, 50'000), {});
    const auto small = store.put(Kind::artifact, a.key, a.canonical, content_of(1, 0, 10), {});
    const auto answer = store.get(Kind::artifact, a.key, a.canonical);
    ASSERT_FALSE(put);
    ASSERT_FALSE(small);
    EXPECT_FALSE(answer.entry);
    EXPECT_THAT(put.error().message(), HasSubstr("store unusable: "));
    EXPECT_THAT(put.error().message(), HasSubstr(reason));
    EXPECT_THAT(small.error().message(), HasSubstr(reason));
    EXPECT_THAT(log.lines(), SizeIs(1));
  }
};

TEST_F(BadFolderTest, a_file_in_place_of_the_folder) {
  ASSERT_TRUE(write_file(folder.store(), as_bytes("in the way")));
  expect_unusable(folder.store(), "is not a folder");
  EXPECT_EQ(value_or_throw(read_text(folder.store())), "in the way");
}

TEST_F(BadFolderTest, a_file_in_place_of_a_parent) {
  ASSERT_TRUE(write_file(folder.store(), as_bytes("in the way")));
  expect_unusable(folder.store() + "/deeper/store", "Not a directory");
}

TEST_F(BadFolderTest, a_parent_that_cannot_be_made) {
  expect_unusable("/proc/no-such-folder/store", "cannot make the folder");
}

TEST_F(BadFolderTest, missing_parents_are_made_private) {
  LocalStore store(folder.store() + "/a/b/c");
  ASSERT_TRUE(store.put(Kind::artifact, a.key, a.canonical, content_of(1, 0, 10), {}));
  struct stat status {};
  ASSERT_EQ(::stat((folder.store() + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(BadFolderTest, a_folder_in_place_of_the_database) {
  std::filesystem::create_directories(folder.store() + "/store.db");
  expect_unusable(folder.store(), "unable to open database file");
}

TEST_F(BadFolderTest, a_folder_of_another_user) {
  std::string other = "/";  // belongs to root
  if (::geteuid() == 0) {
    other = folder.store();
    std::filesystem::create_directory(other);
    ASSERT_EQ(::chown(other.c_str(), 12345, 12345), 0);
  }
  expect_unusable(other, "belongs to another user");
}

TEST_F(BadFolderTest, a_folder_that_everybody_may_write_to) {
  std::filesystem::create_directory(folder.store());
  ASSERT_EQ(::chmod(folder.store().c_str(), 0777), 0);
  expect_unusable(folder.store(), "can be written by every user");
}

/// Runs in a child that no permission is waived for.
ChildEnd as_ordinary_user(const std::string& folder, const std::function<int()>& body) {
  constexpr uid_t ordinary = 65534;
  const bool root = ::geteuid() == 0;
  if (root) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      EXPECT_EQ(::lchown(entry.path().c_str(), ordinary, ordinary), 0);
    EXPECT_EQ(::lchown(folder.c_str(), ordinary, ordinary), 0);
  }
  return run_child([&] {
    if (root &&
        (::setgroups(0, nullptr) != 0 || ::setgid(ordinary) != 0 || ::setuid(ordinary) != 0))
      return cannot_try;
    return body();
  });
}

TEST_F(BadFolderTest, a_folder_that_cannot_be_written) {
  std::filesystem::create_directory(folder.store());
  ASSERT_EQ(::chmod(folder.store().c_str(), 0500), 0);
  const auto end = as_ordinary_user(folder.folder.path(), [&] {
    LocalStore store(folder.store());
    for (const std::size_t size : {10u, 50'000u}) {
      const auto put = store.put(Kind::artifact, a.key, a.canonical, content_of(1, 0, size), {});
      if (put || !put.error().message().starts_with("store unusable: ")) return 1;
    }
    return store.get(Kind::artifact, a.key, a.canonical).reason == "no entry" ? 0 : 2;
  });
  EXPECT_EQ(end.exit_code, 0) << "signal " << end.signal;
}

TEST_F(BadFolderTest, a_store_that_can_only_be_read_still_answers) {
  {
    LocalStore store(folder.store());
    ASSERT_TRUE(store.put(Kind::artifact, a.key, a.canonical, content_of(1, 0, 50'000), {}));
  }
  const auto end = as_ordinary_user(folder.folder.path(), [&] {
    for (const char* name : {"/store.db", "/store.db-journal"})
      if (::chmod((folder.store() + name).c_str(), 0400) != 0) return 1;
    if (::chmod(folder.store().c_str(), 0500) != 0) return 2;
    LocalStore store(folder.store());
    const auto answer = store.get(Kind::artifact, a.key, a.canonical);
    if (!answer.entry || answer.entry->content != content_of(1, 0, 50'000)) return 3;
    if (store.put(Kind::artifact, b.key, b.canonical, content_of(2, 0, 10), {})) return 4;
    return store.get(Kind::artifact, a.key, a.canonical).entry ? 0 : 5;
  });
  EXPECT_EQ(end.exit_code, 0) << "signal " << end.signal;
}

TEST_F(BadFolderTest, a_damaged_store_that_can_only_be_read_misses_and_stays) {
  std::filesystem::create_directory(folder.store());
  ASSERT_TRUE(write_file(folder.store() + "/store.db", Bytes(8192, std::byte{'x'})));
  const auto end = as_ordinary_user(folder.folder.path(), [&] {
    if (::chmod(folder.store().c_str(), 0500) != 0) return 1;
    LocalStore store(folder.store());
    const auto reason = store.get(Kind::artifact, a.key, a.canonical).reason;
    return reason.starts_with("store unusable: its database is damaged") ? 0 : 2;
  });
  EXPECT_EQ(end.exit_code, 0) << "signal " << end.signal;
  EXPECT_EQ(std::filesystem::file_size(folder.store() + "/store.db"), 8192u);
}

/// Puts until nothing more fits, then once more after room was made; 0, or which rule was broken.
int fill_up(const std::string& folder, const std::function<bool()>& make_room) {
  LocalStore store(folder);
  std::vector<int> kept;
  int refused = 0;
  for (int number = 0; number < 400 && refused < 4; ++number) {
    const Sample sample(number);
    const auto size = static_cast<std::size_t>(number % 2 == 0 ? 6000 : 20'000);
    const auto put =
        store.put(Kind::artifact, sample.key, sample.canonical, content_of(number, 0, size), {});
    if (put) kept.push_back(number);
    if (!put && !put.error().message().starts_with("store unusable: ")) return 1;
    refused += !put;
  }
  if (refused == 0 || kept.empty()) return 2;
  const auto all_there = [&] {
    LocalStore reader(folder);
    for (const int number : kept) {
      const Sample sample(number);
      const auto answer = reader.get(Kind::artifact, sample.key, sample.canonical);
      const auto size = static_cast<std::size_t>(number % 2 == 0 ? 6000 : 20'000);
      if (!answer.entry || answer.entry->content != content_of(number, 0, size)) return false;
    }
    return true;
  };
  if (!all_there()) return 3;
  if (!make_room()) return 4;
  kept.push_back(1001);
  const Sample sample(1001);
  if (!store.put(Kind::artifact, sample.key, sample.canonical, content_of(1001, 0, 20'000), {}))
    return 5;
  for (const auto& shelf : names_in(folder + "/blobs"))
    for (const auto& name : names_in(folder + "/blobs/" + shelf))
      if (name.size() != 62) return 6;  // a refused file was left behind
  return all_there() ? 0 : 7;
}

TEST_F(BadFolderTest, a_full_disk_is_an_error_and_loses_nothing) {
  const std::string mount = folder.folder.path().string() + "/small-disk";
  std::filesystem::create_directory(mount);
  const auto end = run_child([&] {
    // A disk of 200 kB that only this child sees.
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return cannot_try;
    (void)::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("none", mount.c_str(), "tmpfs", 0, "size=200k,mode=700") != 0) return cannot_try;
    const std::string ballast = mount + "/ballast";
    if (!write_file(ballast, Bytes(60'000))) return 100;
    return fill_up(mount + "/store", [&] { return ::unlink(ballast.c_str()) == 0; });
  });
  if (end.exit_code == cannot_try) GTEST_SKIP() << "no small disk can be mounted here";
  EXPECT_EQ(end.exit_code, 0) << "signal " << end.signal;
}

TEST_F(BadFolderTest, a_limit_on_file_sizes_is_an_error_and_loses_nothing) {
  const auto end = run_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto limit_to = [](rlim_t size) {
      const rlimit limit{size, RLIM_INFINITY};
      return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    };
    if (!limit_to(70'000)) return cannot_try;
    return fill_up(folder.store(), [&] { return limit_to(RLIM_INFINITY); });
  });
  if (end.exit_code == cannot_try) GTEST_SKIP() << "no limit can be set here";
  EXPECT_EQ(end.exit_code, 0) << "signal " << end.signal;
}

}  // namespace
}  // namespace kiln
