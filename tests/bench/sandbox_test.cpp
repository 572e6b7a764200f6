#include "spec/sandbox.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "spec/lock_counter.hpp"

namespace kiln::bench {
namespace {

TEST(Sandbox, is_a_folder_of_its_own_that_goes_with_what_it_holds) {
  std::optional<Sandbox> one{std::in_place};
  const Sandbox other;
  const fs::path folder = one->path();
  EXPECT_NE(folder, other.path());
  std::ofstream(folder / "file") << "text";
  EXPECT_TRUE(fs::exists(folder / "file"));
  one.reset();
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Sandbox, keeps_its_programs_away_from_the_caches_of_the_user) {
  const Sandbox sandbox;
  int inside = 0;
  for (const auto& [name, value] : sandbox.environment()) {
    if (name == "KILN_STORE" || name == "XDG_CACHE_HOME" || name == "POCL_CACHE_DIR")
      inside += value.starts_with(sandbox.path().string() + "/");
  }
  EXPECT_EQ(inside, 3);
}

TEST(LockCounter, counts_mutexes_and_shared_mutexes_of_this_program) {
  std::mutex mutex;
  std::shared_mutex shared;
  const auto before = locks_taken();
  {
    const std::lock_guard one(mutex);
    const std::unique_lock two(shared);
  }
  { const std::shared_lock three(shared); }
  EXPECT_EQ(locks_taken(), before + 3);
}

}  // namespace
}  // namespace kiln::bench
