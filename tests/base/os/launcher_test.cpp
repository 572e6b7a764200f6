#include "base/os/launcher.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>

namespace kiln {
namespace {

constexpr const char* variables[] = {
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
    "PMIX_NAMESPACE"};

/// What a launcher would set; without one before each.
class Launcher : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : variables) ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }
};

TEST_F(Launcher, IsAbsent) {
  EXPECT_FALSE(is_launched());
  EXPECT_EQ(ranks_of_launcher(), 1u);
  EXPECT_EQ(rank_of_launcher(), 0u);
}

TEST_F(Launcher, OfOpenMpi) {
  ::setenv("OMPI_COMM_WORLD_RANK", "2", 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "5", 1);
  EXPECT_TRUE(is_launched());
  EXPECT_EQ(ranks_of_launcher(), 5u);
  EXPECT_EQ(rank_of_launcher(), 2u);
}

TEST_F(Launcher, OfMpichAndOfOneThatKnowsPmixAlone) {
  ::setenv("PMIX_RANK", "3", 1);
  EXPECT_EQ(ranks_of_launcher(), 2u);  // it tells no number
  EXPECT_EQ(rank_of_launcher(), 3u);
  ::setenv("PMI_RANK", "1", 1);
  ::setenv("PMI_SIZE", "4", 1);
  EXPECT_EQ(ranks_of_launcher(), 4u);
  EXPECT_EQ(rank_of_launcher(), 1u);
}

/// What another process of the same job gets, which then waits until `work` has been done.
bool asked_elsewhere(const std::string& word, const std::function<void()>& work) {
  std::array<int, 2> told{}, done{};
  EXPECT_EQ(::pipe(told.data()) + ::pipe(done.data()), 0);
  const pid_t child = ::fork();
  char answer = 0;
  if (child == 0) {
    answer = is_first_of_job(word) ? 1 : 0;
    ::_exit(::write(told[1], &answer, 1) == 1 && ::read(done[0], &answer, 1) == 1 ? 0 : 1);
  }
  EXPECT_EQ(::read(told[0], &answer, 1), 1);
  const bool first = answer == 1;
  work();
  EXPECT_EQ(::write(done[1], &answer, 1), 1);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  for (const int end : {told[0], told[1], done[0], done[1]}) ::close(end);
  return first;
}

// A fork has what its parent is first of: words are new ones here.
TEST_F(Launcher, HasOneProcessThatIsTheFirst) {
  // The launcher's name of the job: this test's alone.
  ::setenv("PMIX_NAMESPACE", ("test of " + std::to_string(::getpid())).c_str(), 1);
  EXPECT_TRUE(asked_elsewhere("a", [] {
    EXPECT_FALSE(is_first_of_job("a"));
    EXPECT_TRUE(is_first_of_job("b"));
    EXPECT_TRUE(is_first_of_job("b"));
  }));
  // Its owner has ended.
  EXPECT_TRUE(is_first_of_job("a"));
  // Of another job.
  const auto set = [](const char* job) { ::setenv("PMIX_NAMESPACE", job, 1); };
  EXPECT_TRUE(asked_elsewhere("c", [&] {
    set("another");
    EXPECT_TRUE(is_first_of_job("c"));
  }));
}

}  // namespace
}  // namespace kiln
