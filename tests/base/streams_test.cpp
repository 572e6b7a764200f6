#include "base/streams.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/file.hpp"

namespace kiln {
namespace {

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
