#include "cli/log_sink.hpp"

#include <gtest/gtest.h>

#include "base/log.hpp"

namespace kiln::cli {
namespace {

std::string printed(std::string_view level) {
  ::testing::internal::CaptureStderr();
  print_log(level);
  log(LogLevel::debug, "d");
  log(LogLevel::info, "i");
  log(LogLevel::warning, "w");
  set_log_sink({});
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogSink, prints_messages_of_at_least_the_level) {
  EXPECT_EQ(printed("debug"), "kiln: debug: d\nkiln: info: i\nkiln: warning: w\n");
  EXPECT_EQ(printed("info"), "kiln: info: i\nkiln: warning: w\n");
  EXPECT_EQ(printed("warning"), "kiln: warning: w\n");
  EXPECT_EQ(printed("off"), "");
}

}  // namespace
}  // namespace kiln::cli
