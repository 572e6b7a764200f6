#include "base/log.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kiln {
namespace {

TEST(Log, lines_reach_the_sink_that_is_set_and_no_other) {
  std::vector<std::string> first, second;
  log(LogLevel::info, "no sink is set");
  set_log_sink([&](LogLevel, std::string_view line) { first.emplace_back(line); });
  log(LogLevel::warning, "one");
  set_log_sink([&](LogLevel level, std::string_view line) {
    EXPECT_EQ(level, LogLevel::debug);
    second.emplace_back(line);
  });
  log(LogLevel::debug, "two");
  set_log_sink({});
  log(LogLevel::info, "no sink is set");
  EXPECT_EQ(first, std::vector<std::string>{"one"});
  EXPECT_EQ(second, std::vector<std::string>{"two"});
}

TEST(Log, a_sink_may_replace_itself) {
  int calls = 0;
  set_log_sink([&](LogLevel, std::string_view) {
    ++calls;
    set_log_sink({});
  });
  log(LogLevel::info, "once");
  log(LogLevel::info, "not again");
  EXPECT_EQ(calls, 1);
}

TEST(Log, threads_may_log_while_the_sink_changes) {
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  set_log_sink([&](LogLevel, std::string_view) { ++calls; });
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int line = 0; line < 500; ++line) log(LogLevel::info, "line");
    });
  for (int i = 0; i < 100; ++i) set_log_sink([&](LogLevel, std::string_view) { ++calls; });
  for (auto& thread : threads) thread.join();
  set_log_sink({});
  EXPECT_EQ(calls, 2000);
}

}  // namespace
}  // namespace kiln
