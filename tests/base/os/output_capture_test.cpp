#include "base/os/output_capture.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

namespace kiln {
namespace {

/// Tests whose standard output is a file in memory.
class OutputCaptureTest : public ::testing::Test {
 protected:
  OutputCaptureTest() {
    std::fflush(stdout);
    ::dup2(file_.get(), STDOUT_FILENO);
  }
  ~OutputCaptureTest() override {
    std::fflush(stdout);
    ::dup2(own_.get(), STDOUT_FILENO);
  }
  static void write(std::string_view text) {
    ASSERT_EQ(::write(STDOUT_FILENO, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string written() const {
    std::fflush(stdout);
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(::pread(file_.get(), text.data(), text.size(), 0)));
    return text;
  }

 private:
  FileDescriptor own_ = FileDescriptor(::dup(STDOUT_FILENO));
  FileDescriptor file_ = FileDescriptor(::memfd_create("output", MFD_CLOEXEC));
};

TEST_F(OutputCaptureTest, flush_gives_what_was_written_before) {
  std::string captured;
  OutputCapture capture([&](std::string_view text) { captured += text; });
  write("by the system, ");
  capture.flush();
  EXPECT_EQ(captured, "by the system, ");
  std::printf("by the C library");
  capture.flush();
  EXPECT_EQ(captured, "by the system, by the C library");
  EXPECT_EQ(written(), "");
}

TEST_F(OutputCaptureTest, its_end_gives_the_rest_and_the_descriptor_back) {
  std::string captured;
  std::printf("before, ");
  {
    const OutputCapture capture([&](std::string_view text) { captured += text; });
    std::printf("during");
  }
  EXPECT_EQ(captured, "during");
  write("after");
  EXPECT_EQ(written(), "before, after");
}

TEST_F(OutputCaptureTest, more_than_a_pipe_holds_stops_nobody) {
  constexpr std::size_t lines = 20'000;
  std::size_t bytes = 0;
  OutputCapture capture([&](std::string_view text) { bytes += text.size(); });
  for (std::size_t i = 0; i < lines; ++i) write("0123456789abcdef\n");
  capture.flush();
  EXPECT_EQ(bytes, 17 * lines);
}

TEST_F(OutputCaptureTest, a_closed_descriptor_stays_closed) {
  std::string captured;
  ::close(STDOUT_FILENO);
  {
    OutputCapture capture([&](std::string_view text) { captured += text; });
    EXPECT_LT(::write(STDOUT_FILENO, "a", 1), 0);
    capture.flush();
  }
  EXPECT_EQ(captured, "");
}

}  // namespace
}  // namespace kiln
