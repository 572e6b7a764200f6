#include "base/os/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

struct FileTest : ::testing::Test {
  TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-file"));
  fs::path file = folder.path() / "file";

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      list.push_back(entry.path().filename());
    return list;
  }
};

TEST_F(FileTest, what_was_written_is_read) {
  const std::string text("with a \0 byte", 13);
  ASSERT_TRUE(write_file(file, as_bytes(text)));
  EXPECT_EQ(value_or_throw(read_text(file)), text);
  EXPECT_EQ(as_text(value_or_throw(read_file(file))), text);
}

TEST_F(FileTest, an_empty_file_is_no_error) {
  ASSERT_TRUE(write_file(file, {}));
  EXPECT_THAT(value_or_throw(read_file(file)), IsEmpty());
}

TEST_F(FileTest, a_missing_file_is_named) {
  const auto result = read_file(file);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::not_found);
  EXPECT_EQ(result.error().message(),
            "cannot open " + file.string() + ": No such file or directory");
}

TEST_F(FileTest, folders_and_devices_are_not_read) {
  EXPECT_THAT(read_file(folder.path()).error().message(), HasSubstr("is a folder"));
  EXPECT_THAT(read_file("/dev/zero").error().message(), HasSubstr("is not a regular file"));
}

TEST_F(FileTest, a_pipe_that_nobody_writes_to_does_not_hang_the_reader) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(read_file(file).error().message(), HasSubstr("is not a regular file"));
}

TEST_F(FileTest, a_file_above_the_limit_is_refused_and_one_at_it_is_read) {
  ASSERT_TRUE(write_file(file, Bytes(100)));
  EXPECT_EQ(value_or_throw(read_file(file, 100)).size(), 100u);
  const auto result = read_file(file, 99);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::bad_input);
  EXPECT_THAT(result.error().message(), HasSubstr("has 100 bytes; at most 99 are read"));
}

TEST_F(FileTest, nothing_is_left_of_a_file_without_commit) {
  {
    auto atomic = value_or_throw(AtomicFile::create(file));
    ASSERT_TRUE(atomic.write(as_bytes("half")));
    EXPECT_LE(names().size(), 1u) << "written aside, where files cannot be without a name";
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FileTest, an_abandoned_replacement_leaves_the_old_file) {
  ASSERT_TRUE(write_file(file, as_bytes("old")));
  {
    auto atomic = value_or_throw(AtomicFile::create(file));
    ASSERT_TRUE(atomic.write(as_bytes("new")));
  }
  EXPECT_EQ(value_or_throw(read_text(file)), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FileTest, commit_gives_the_name_the_mode_and_the_pieces_in_order) {
  for (const auto durability : {AtomicFile::Durability::none, AtomicFile::Durability::disk}) {
    auto atomic = value_or_throw(AtomicFile::create(file, 0640));
    ASSERT_TRUE(atomic.write(as_bytes("one ")));
    ASSERT_TRUE(atomic.write(as_bytes("two")));
    ASSERT_TRUE(atomic.commit(durability));
    EXPECT_EQ(value_or_throw(read_text(file)), "one two");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
  }
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FileTest, a_moved_atomic_file_is_one_file) {
  {
    auto first = value_or_throw(AtomicFile::create(file));
    auto second = std::move(first);
    ASSERT_TRUE(second.write(as_bytes("moved")));
    ASSERT_TRUE(second.commit());
  }
  EXPECT_EQ(value_or_throw(read_text(file)), "moved");
}

TEST_F(FileTest, a_missing_folder_and_a_folder_in_the_way_are_errors_that_leave_nothing) {
  EXPECT_EQ(write_file(folder.path() / "none" / "file", {}).error().code(), Errc::not_found);
  fs::create_directory(file);
  const auto result = write_file(file, as_bytes("x"));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("cannot write " + file.string()));
  EXPECT_THAT(names(), ElementsAre("file"));
}

/// In a child, where files may have at most 4096 bytes, as if the disk ended there.
int write_beyond_the_limit(const fs::path& file) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{4096, 4096};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  const auto result = write_file(file, Bytes(10'000));
  if (result) return 1;
  return result.error().code() == Errc::io ? 0 : 2;
}

TEST_F(FileTest, a_write_that_does_not_fit_is_an_error_and_leaves_the_old_file) {
  ASSERT_TRUE(write_file(file, as_bytes("old")));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_beyond_the_limit(file));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(value_or_throw(read_text(file)), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(FileTest, a_descriptor_of_this_process_is_written_into_and_not_replaced) {
  const auto path = folder.path() / "opened";
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const auto name = "/dev/fd/" + std::to_string(fd.get());
  value_or_throw(write_file(name, as_bytes("one ")));
  value_or_throw(write_file("/proc/self/fd/" + std::to_string(fd.get()), as_bytes("two")));
  EXPECT_EQ(value_or_throw(read_text(path)), "one two");
  EXPECT_FALSE(write_file("/dev/fd/1000000", as_bytes("text")));
}

TEST(DescriptorPath, names_are_told_from_files) {
  EXPECT_EQ(descriptor_named_by("/dev/stdin"), 0);
  EXPECT_EQ(descriptor_named_by("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_named_by("/dev/fd/63"), 63);
  EXPECT_EQ(descriptor_named_by("/proc/self/fd/7"), 7);
  for (const char* file : {"-", "stdin", "/dev/fd/", "/dev/fd/-1", "/dev/fd/1x", "/dev/null", ""})
    EXPECT_EQ(descriptor_named_by(file), std::nullopt) << file;
  EXPECT_EQ(folder_of_input("/dev/stdin"), "");
  EXPECT_EQ(folder_of_input("a/b.json"), "a");
  EXPECT_EQ(folder_of_input("b.json"), "");
}

TEST_F(FileTest, a_descriptor_closes_once_and_can_be_moved) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(raw, 0);
  {
    FileDescriptor first(raw);
    FileDescriptor second(std::move(first));
    EXPECT_EQ(second.get(), raw);
    FileDescriptor third;
    third = std::move(second);
    EXPECT_TRUE(third);
    EXPECT_GE(::fcntl(raw, F_GETFD), 0);
  }
  EXPECT_EQ(::fcntl(raw, F_GETFD), -1) << "closed at the end of the block";
}

TEST(TemporaryFolder, is_private_and_goes_with_all_it_holds) {
  fs::path path;
  {
    const auto folder = value_or_throw(TemporaryFolder::create("kiln-test"));
    path = folder.path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    fs::create_directories(path / "a" / "b");
    ASSERT_TRUE(write_file(path / "a" / "b" / "c", as_bytes("x")));
  }
  EXPECT_FALSE(fs::exists(path));
}

class NewFileTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "file"; }

 private:
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-new-file"));
};

TEST_F(NewFileTest, has_the_bytes_and_the_mode) {
  value_or_throw(write_new_file(path(), as_bytes("text"), 0600));
  EXPECT_EQ(value_or_throw(read_text(path())), "text");
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(NewFileTest, replaces_neither_a_file_nor_a_link) {
  value_or_throw(write_file(path(), as_bytes("before")));
  auto written = write_new_file(path(), as_bytes("after"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Errc::bad_input);
  EXPECT_THAT(written.error().message(), HasSubstr("the file exists, and is not overwritten"));
  EXPECT_EQ(value_or_throw(read_text(path())), "before");

  std::filesystem::remove(path());
  const auto target = path().string() + ".target";
  std::filesystem::create_symlink(target, path());
  EXPECT_FALSE(write_new_file(path(), as_bytes("after")));
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(NewFileTest, in_an_absent_folder_is_not_found) {
  const auto written = write_new_file(path() / "below", as_bytes("text"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Errc::not_found);
}

TEST_F(NewFileTest, that_could_not_be_written_is_gone) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto written = write_new_file(path(), as_bytes("more than ten bytes"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Errc::io);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

class Input : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create());
};

TEST_F(Input, a_file_is_read) {
  value_or_throw(write_file(path("a"), as_bytes("text")));
  EXPECT_EQ(as_text(value_or_throw(read_input(path("a"), 4))), "text");
}

TEST_F(Input, a_pipe_is_read_to_its_end) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text(300'000, 'x');
  std::jthread writer([&] { std::ofstream(path("pipe")) << text; });
  EXPECT_TRUE(as_text(value_or_throw(read_input(path("pipe"), 1 << 20))) == text);
}

TEST_F(Input, a_pipe_beyond_the_limit_is_refused) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  // The writer writes less than a pipe holds, so that it never meets a reader that has gone.
  std::jthread writer([&] { std::ofstream(path("pipe")) << std::string(1000, 'x'); });
  const auto bytes = read_input(path("pipe"), 999);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), Errc::bad_input);
  EXPECT_NE(bytes.error().message().find("more than 999"), std::string::npos);
}

TEST_F(Input, a_sparse_file_beyond_the_limit_is_refused_before_it_is_read) {
  std::ofstream(path("sparse")).close();
  std::filesystem::resize_file(path("sparse"), std::uintmax_t{5} << 30);
  const auto bytes = read_input(path("sparse"), 1 << 20);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message().find("5368709120"), std::string::npos);
}

TEST_F(Input, folders_devices_and_absent_files_are_refused) {
  EXPECT_EQ(read_input(folder_.path(), 10).error().code(), Errc::bad_input);
  EXPECT_EQ(read_input("/dev/zero", 10).error().code(), Errc::bad_input);
  EXPECT_EQ(read_input(path("absent"), 10).error().code(), Errc::not_found);
}

}  // namespace
}  // namespace kiln
