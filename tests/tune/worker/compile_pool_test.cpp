#include "tune/worker/compile_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tune/fake_tunable.hpp"

namespace kiln::tune::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// Compiles as FakeBench prepares.
void compile_fake(ConfigurationId id) {
  if (id == 13) ::raise(SIGKILL);
  FakeBench().prepare(id);
}
Compile open_fake() { return compile_fake; }

class CompilePoolTest : public ::testing::Test {
 protected:
  CompilePool pool{open_fake, 3, milliseconds(2'000)};
};

TEST_F(CompilePoolTest, compiles_more_than_it_has_processes_for) {
  for (ConfigurationId id = 20; id < 40; ++id) pool.add(id);
  for (ConfigurationId id = 20; id < 40; ++id) EXPECT_TRUE(pool.take(id).outcome.ok()) << id;
}

TEST_F(CompilePoolTest, says_what_failed_and_goes_on) {
  for (const auto id : {FakeBench::crashes, FakeBench::hangs, FakeBench::does_not_build})
    pool.add(id);
  pool.add(13);
  pool.add(20);
  pool.finish();
  const Report crashed = pool.take(FakeBench::crashes);
  EXPECT_EQ(crashed.outcome.failure, Failure::crash);
  EXPECT_THAT(crashed.message, HasSubstr("SIGSEGV"));
  EXPECT_THAT(pool.take(13).message, HasSubstr("SIGKILL"));
  EXPECT_EQ(pool.take(FakeBench::hangs).outcome.failure, Failure::timeout);
  const Report unbuilt = pool.take(FakeBench::does_not_build);
  EXPECT_EQ(unbuilt.outcome.failure, Failure::build);
  EXPECT_THAT(unbuilt.message, ::testing::StrEq("line 2: error: no such type"));
  EXPECT_TRUE(pool.take(20).outcome.ok());
}

TEST(CompilePool, leaves_to_others_what_it_cannot_compile) {
  CompilePool no_compiler([] { return Compile(); }, 2, milliseconds(20'000));
  no_compiler.add(1);
  EXPECT_TRUE(no_compiler.take(1).outcome.ok());
  CompilePool no_device([]() -> Compile { throw Error(Errc::device, "gone"); }, 2,
                        milliseconds(20'000));
  no_device.add(1);
  no_device.finish();
  EXPECT_TRUE(no_device.take(1).outcome.ok());
  CompilePool dies([]() -> Compile { ::abort(); }, 2, milliseconds(20'000));
  dies.add(1);
  EXPECT_TRUE(dies.take(1).outcome.ok());
}

TEST(CompilePool, gives_up_processes_that_die_of_everything) {
  CompilePool pool(open_fake, 1, milliseconds(20'000));
  for (int i = 0; i < 3; ++i) {
    pool.add(13);
    EXPECT_EQ(pool.take(13).outcome.failure, Failure::crash);
  }
  pool.add(20);
  EXPECT_TRUE(pool.take(20).outcome.ok()) << "left to who measures";
}

}  // namespace
}  // namespace kiln::tune::testing
