#include "tune/worker/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tune/fake_tunable.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class WorkerTest : public ::testing::Test {
 protected:
  static WorkerLimits limits() {
    return {milliseconds(20'000), milliseconds(400), milliseconds(20'000)};
  }
  Worker worker{[] { return std::make_unique<FakeBench>(); }, limits()};
};

TEST_F(WorkerTest, times_what_runs) {
  EXPECT_DOUBLE_EQ(worker.sample(20, 1).time, 1e-3);
  EXPECT_DOUBLE_EQ(worker.sample(20, 5).time, 5e-3);
  EXPECT_EQ(worker.replaced(), 0u);
}

/// Prints as kernels do, far more than a reader wants.
class PrintingBench : public FakeBench {
 public:
  Report prepare(ConfigurationId id) override {
    std::printf("prepares %d\n", static_cast<int>(id));
    return FakeBench::prepare(id);
  }
  double run(ConfigurationId id, std::size_t launches) override {
    const std::string line(100, 'x');
    for (int i = 0; i < 10'000; ++i)
      if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::abort();
    return FakeBench::run(id, launches);
  }
};

TEST_F(WorkerTest, what_kernels_print_is_kept_from_standard_output_and_bounded) {
  ::testing::internal::CaptureStdout();
  std::printf("begun before the fork; ");  // not flushed: this process's to write, once
  Worker printing([] { return std::make_unique<PrintingBench>(); }, limits());
  EXPECT_TRUE(printing.sample(20, 1).ok());
  EXPECT_TRUE(printing.sample(21, 1).ok());
  std::fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "begun before the fork; ");
  EXPECT_THAT(printing.printed(), ::testing::StartsWith("prepares 20\n"));
  EXPECT_LE(printing.printed().size(), 2048u);
  EXPECT_GT(printing.printed_bytes(), 1'000'000u);
}

TEST_F(WorkerTest, says_why_a_candidate_has_no_time) {
  const Report wrong = worker.prepare(FakeBench::is_wrong);
  EXPECT_EQ(wrong.outcome.failure, Failure::wrong_result);
  EXPECT_EQ(wrong.message, "number 3 is 4, expected 5");
  const Report unbuilt = worker.prepare(FakeBench::does_not_build);
  EXPECT_EQ(unbuilt.outcome.failure, Failure::build);
  EXPECT_THAT(unbuilt.message, HasSubstr("no such type"));
  EXPECT_EQ(unbuilt.message.find('\n'), std::string::npos);
}

TEST_F(WorkerTest, outlives_a_candidate_that_crashes) {
  const Report crashed = worker.prepare(FakeBench::crashes);
  EXPECT_EQ(crashed.outcome.failure, Failure::crash);
  EXPECT_THAT(crashed.message, HasSubstr("SIGSEGV"));
  EXPECT_TRUE(worker.sample(20, 1).ok());
  EXPECT_EQ(worker.replaced(), 1u);
  // It is not tried again.
  EXPECT_EQ(worker.sample(FakeBench::crashes, 1).failure, Failure::crash);
  EXPECT_EQ(worker.replaced(), 1u);
}

TEST_F(WorkerTest, outlives_a_candidate_that_hangs) {
  EXPECT_EQ(worker.prepare(FakeBench::hangs).outcome.failure, Failure::timeout);
  EXPECT_TRUE(worker.sample(20, 1).ok());
}

TEST_F(WorkerTest, outlives_a_candidate_that_dies_while_it_is_timed) {
  EXPECT_TRUE(worker.prepare(FakeBench::dies_later).outcome.ok());
  EXPECT_EQ(worker.sample(FakeBench::dies_later, 1).failure, Failure::crash);
  EXPECT_TRUE(worker.sample(21, 1).ok());
}

TEST_F(WorkerTest, notices_a_child_that_was_killed) {
  EXPECT_TRUE(worker.sample(20, 1).ok());
  // What was prepared in the child that died is prepared again.
  EXPECT_EQ(worker.prepare(FakeBench::crashes).outcome.failure, Failure::crash);
  EXPECT_DOUBLE_EQ(worker.sample(20, 2).time, 2e-3);
}

TEST_F(WorkerTest, tells_what_recording_came_to) { EXPECT_TRUE(worker.record(20, 1.0, 2.0)); }

TEST(WorkerPoison, gives_the_next_candidate_a_device_that_works) {
  for (const Failure failure : {Failure::launch, Failure::resources}) {
    Worker worker([&] { return std::make_unique<PoisonedBench>(failure); }, {});
    EXPECT_TRUE(worker.sample(PoisonedBench::poisons - 1, 1).ok());
    EXPECT_EQ(worker.prepare(PoisonedBench::poisons).outcome.failure, failure);
    EXPECT_TRUE(worker.prepare(PoisonedBench::poisons + 1).outcome.ok());
    EXPECT_EQ(worker.replaced(), 1u);
    // What was prepared in the child before is not taken for prepared.
    EXPECT_TRUE(worker.sample(PoisonedBench::poisons - 1, 1).ok());
    EXPECT_FALSE(worker.gone());
  }
}

TEST(WorkerPoison, shows_while_a_candidate_is_timed_as_well) {
  Worker worker([&] { return std::make_unique<PoisonedBench>(Failure::launch); }, {});
  EXPECT_TRUE(worker.prepare(PoisonedBench::poisons_later).outcome.ok());
  EXPECT_EQ(worker.sample(PoisonedBench::poisons_later, 1).failure, Failure::launch);
  EXPECT_TRUE(worker.sample(20, 1).ok());
  EXPECT_EQ(worker.replaced(), 1u);
}

TEST(WorkerPoison, is_not_suspected_of_what_merely_does_not_fit) {
  EXPECT_FALSE(may_have_lost_device(Failure::build, "CL_OUT_OF_RESOURCES"));
  EXPECT_FALSE(may_have_lost_device(Failure::wrong_result, "7 instead of 8"));
  EXPECT_FALSE(may_have_lost_device(Failure::resources, "a work-group of 512x512x1 is above 4096"));
  EXPECT_FALSE(may_have_lost_device(Failure::launch, "k: CL_INVALID_WORK_GROUP_SIZE (-54)"));
  EXPECT_TRUE(may_have_lost_device(Failure::launch, "clFinish: error -9999"));
  EXPECT_TRUE(may_have_lost_device(Failure::resources, "clFinish: CL_OUT_OF_RESOURCES"));
}

TEST(WorkerPoison, ends_where_the_device_does_not_open_again) {
  const auto mark =
      std::filesystem::temp_directory_path() / ("kiln-worker-lost-" + std::to_string(::getpid()));
  Worker worker([&] { return std::make_unique<LosingBench>(mark, 7); }, {});
  EXPECT_TRUE(worker.sample(6, 1).ok());
  EXPECT_FALSE(worker.gone());
  EXPECT_FALSE(worker.prepare(7).outcome.ok());
  ASSERT_TRUE(worker.gone());
  EXPECT_THAT(worker.gone()->message(), HasSubstr("no such device"));
  EXPECT_FALSE(worker.sample(6, 1).ok());
  std::filesystem::remove(mark);
}

TEST(WorkerStart, passes_on_why_the_device_cannot_be_opened) {
  Worker worker([]() -> std::unique_ptr<Bench> { throw Error(Errc::bad_input, "no such size"); },
                {});
  const auto started = worker.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(), "no such size");
}

/// A reference that the device computes: it fails, or never ends.
class ReferenceBench : public FakeBench {
 public:
  explicit ReferenceBench(bool ends) : ends_(ends) {}
  void begin() override {
    while (!ends_) ::pause();
    throw Error(Errc::build, "it does not compile");
  }

 private:
  bool ends_;
};

TEST(WorkerStart, passes_on_why_the_reference_does_not_run) {
  Worker worker([] { return std::make_unique<ReferenceBench>(true); }, {});
  const auto started = worker.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Errc::build);
  EXPECT_EQ(started.error().message(), "it does not compile");
}

TEST(WorkerStart, gives_the_reference_the_time_of_a_candidate) {
  WorkerLimits limits;
  limits.prepare = milliseconds(200);
  Worker worker([] { return std::make_unique<ReferenceBench>(false); }, limits);
  const auto started = worker.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Errc::timeout);
  EXPECT_THAT(started.error().message(), HasSubstr("did not end within 0.2 s"));
}

TEST(WorkerStart, notices_a_driver_that_takes_the_process_with_it) {
  Worker worker([]() -> std::unique_ptr<Bench> { ::abort(); }, {});
  const auto started = worker.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message(), HasSubstr("SIGABRT"));
}

TEST(InChild, returns_what_the_function_does) {
  const pid_t own = ::getpid();
  const auto text = in_child([] { return std::to_string(::getpid()); }, milliseconds(20'000));
  ASSERT_TRUE(text);
  EXPECT_NE(*text, std::to_string(own));
  EXPECT_EQ(in_child([] { return std::string(); }, milliseconds(20'000)).value(), "");
}

TEST(InChild, passes_on_errors_and_ends_what_hangs) {
  const auto thrown = in_child([]() -> std::string { throw Error(Errc::not_found, "no device"); },
                               milliseconds(20'000));
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().message(), "no device");
  const auto hung = in_child(
      []() -> std::string {
        while (true) ::pause();
      },
      milliseconds(200));
  EXPECT_FALSE(hung);
}

}  // namespace
}  // namespace kiln::tune::testing
