// The writer of records: threads, processes, and ends of processes.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/os/file.hpp"
#include "kernel/calls/recorded_call.hpp"

namespace kiln {
namespace {

class CallLogFile : public ::testing::Test {
 protected:
  CallLogFile() : folder_(value_or_throw(TemporaryFolder::create("kiln-calls"))) {}
  std::filesystem::path file() const { return folder_.path() / "calls.jsonl"; }
  std::unique_ptr<CallLog> open() const { return value_or_throw(CallLog::open(file())); }
  RecordedCalls calls() const { return value_or_throw(read_calls(file())); }
  std::string text() const { return value_or_throw(read_text(file())); }
  static RecordedCall call(std::int64_t n) {
    RecordedCall made;
    made.kind = "blas", made.name = "saxpy", made.facts = {{"n", n}}, made.bytes = 1;
    return made;
  }
  static std::uint64_t total(const RecordedCalls& all) {
    std::uint64_t sum = 0;
    for (const auto& each : all.calls) sum += each.count;
    return sum;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CallLogFile, holds_only_what_is_new_in_each_line) {
  const auto log = open();
  CallCounter* const counter = log->counter(call(1));
  counter->add_prepare(100);
  log->write();
  EXPECT_EQ(text(), "") << "nothing was called yet";
  counter->add_call(10);
  counter->add_call(20);
  log->write();
  log->write();
  counter->add_call(30);
  counter->add_timed(5);
  log->write();
  const std::string written = text();
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 2);
  const RecordedCall sum = calls().calls.at(0);
  EXPECT_EQ(sum.count, 3u);
  EXPECT_EQ(sum.host_ns, 60u);
  EXPECT_EQ(sum.prepare_ns, 100u);
  EXPECT_EQ(sum.timed, 1u);
  EXPECT_EQ(sum.device_ns, 5u);
}

TEST_F(CallLogFile, adds_to_nothing_but_records) {
  for (const char* other : {"notes\n", "{\"kiln tuning journal\":1}\n", "{}\n", "x"}) {
    std::ofstream(file()) << other;
    const auto log = CallLog::open(file());
    ASSERT_FALSE(log) << other;
    EXPECT_EQ(log.error().code(), Errc::bad_input);
    EXPECT_NE(log.error().message().find("not a record of calls"), std::string::npos);
    EXPECT_EQ(text(), other);
  }
  for (const char* known : {"", "{", "{\"kiln_ca", "{\"kiln_calls\":1,"}) {
    std::ofstream(file()) << known;
    EXPECT_TRUE(CallLog::open(file())) << known;
  }
}

TEST_F(CallLogFile, gives_equal_calls_one_counter) {
  const auto log = open();
  EXPECT_EQ(log->counter(call(1)), log->counter(call(1)));
  EXPECT_NE(log->counter(call(1)), log->counter(call(2)));
}

TEST_F(CallLogFile, takes_so_many_kinds_and_no_more) {
  const auto log = open();
  for (std::size_t n = 0; n < CallLog::most_kinds; ++n)
    ASSERT_NE(log->counter(call(static_cast<std::int64_t>(n))), nullptr);
  EXPECT_EQ(log->counter(call(-1)), nullptr);
  EXPECT_NE(log->counter(call(0)), nullptr);
}

TEST_F(CallLogFile, is_added_to) {
  for (int run = 0; run < 2; ++run) {
    const auto log = open();
    log->counter(call(1))->add_call(1);
    log->write();
  }
  EXPECT_EQ(calls().calls.at(0).count, 2u);
}

TEST_F(CallLogFile, begins_a_line_of_its_own_behind_one_that_was_cut) {
  std::ofstream(file()) << "{\"kiln_calls\":1,\"ki";
  const auto log = open();
  log->counter(call(1))->add_call(1);
  log->write();
  EXPECT_EQ(calls().lines_cut, 1u);
  EXPECT_EQ(total(calls()), 1u);
}

TEST_F(CallLogFile, counts_what_threads_call_while_it_is_written) {
  constexpr int threads = 4, each = 5000;
  const auto log = open();
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t)
    callers.emplace_back([&log] {
      for (int i = 0; i < each; ++i) {
        log->counter(call(i % 7))->add_call(1);
        if (i % 500 == 0) log->write();
      }
    });
  for (auto& caller : callers) caller.join();
  log->write();
  EXPECT_EQ(total(calls()), static_cast<std::uint64_t>(threads * each));
  EXPECT_EQ(calls().calls.size(), 7u);
}

TEST_F(CallLogFile, is_shared_by_processes) {
  constexpr int processes = 4, writes = 100, kinds = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto log = open();
      for (int w = 0; w < writes; ++w) {
        for (int n = 0; n < kinds; ++n) log->counter(call(n))->add_call(1);
        log->write();
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto all = calls();
  EXPECT_EQ(all.lines_cut, 0u);
  EXPECT_EQ(all.calls.size(), static_cast<std::size_t>(kinds));
  EXPECT_EQ(total(all), static_cast<std::uint64_t>(processes * writes * kinds));
}

TEST_F(CallLogFile, survives_writers_that_are_killed) {
  // Each is killed in the midst of its writes; what is there stays readable, and goes on.
  for (int round = 0; round < 20; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto log = open();
      for (int w = 0;; ++w) {
        for (int n = 0; n < 200; ++n) log->counter(call(n))->add_call(1);
        log->write();
        if (w == round && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ready[0]), ::close(ready[1]);
    const auto all = value_or_throw(read_calls(file()));
    EXPECT_GE(all.calls.size(), 200u);
  }
}

TEST_F(CallLogFile, is_a_regular_file) {
  const auto missing = CallLog::open(file() / "calls.jsonl");
  ASSERT_FALSE(missing.has_value());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const auto pipe = CallLog::open(file());
  ASSERT_FALSE(pipe.has_value());
  EXPECT_EQ(pipe.error().code(), Errc::bad_input);
  EXPECT_FALSE(CallLog::open(file().parent_path()).has_value());
}

}  // namespace
}  // namespace kiln
