#include "device/pinned_workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace kiln {
namespace {

DevicePtr pocl_cpu() {
  const auto devices = all_devices();
  if (!devices) return nullptr;
  for (const auto& device : *devices)
    if (device->pocl && device->type == Device::Type::cpu) return device;
  return nullptr;
}

/// The cores of this process's threads that have just one.
std::multiset<std::string> single_cores() {
  std::multiset<std::string> cores;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    const std::string name = "Cpus_allowed_list:\t";
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(name) && line.find_first_of(",-") == std::string::npos)
        cores.insert(line.substr(name.size()));
  }
  return cores;
}

class PinnedWorkers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_) GTEST_SKIP() << "no CPU device of PoCL";
    context_ = Context::create({device_});
    if (device_->compute_units < 2) GTEST_SKIP() << "one thread needs no core of its own";
    if (!single_cores().empty()) GTEST_SKIP() << "threads are pinned from outside";
  }
  DevicePtr device_ = pocl_cpu();
  ContextPtr context_;
};

// A pinned thread stays so: each of these is a process of its own, as suites are.
class PinnedWorkersSeen : public PinnedWorkers {};
class PinnedWorkersOff : public PinnedWorkers {};

TEST_F(PinnedWorkers, have_each_a_core_of_their_own) {
  ::unsetenv("KILN_PIN");
  pin_workers(*context_, device_, std::chrono::minutes(1));
  const auto cores = single_cores();
  EXPECT_EQ(cores.size(), device_->compute_units);
  EXPECT_EQ(std::set<std::string>(cores.begin(), cores.end()).size(), cores.size());
  pin_workers(*context_, device_);
  EXPECT_EQ(single_cores(), cores);
}

TEST_F(PinnedWorkersSeen, are_threads_of_the_drivers_own) {
  const auto seen = look_at_workers(*context_, device_, std::chrono::minutes(1));
  EXPECT_EQ(seen.threads, device_->compute_units);
  EXPECT_FALSE(seen.on_caller);
  EXPECT_TRUE(single_cores().empty()) << "looking pins nothing";
}

TEST_F(PinnedWorkersOff, are_left_alone_where_that_is_asked_for) {
  ::setenv("KILN_PIN", "off", 1);
  pin_workers(*context_, device_);
  EXPECT_TRUE(single_cores().empty());
}

}  // namespace
}  // namespace kiln
