#include "base/new_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "base/file.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace kiln
