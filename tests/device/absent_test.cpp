// A machine without OpenCL: another process, since drivers are loaded once.
#include <cstdlib>
#include <filesystem>

#include "base/os/file.hpp"
#include "device/support.hpp"

namespace kiln::testing {
namespace {

[[noreturn]] void report(const Expected<std::vector<DevicePtr>>& devices) {
  if (devices) std::exit(10);
  if (devices.error().message().find('\n') != std::string::npos) std::exit(11);
  std::fputs(devices.error().message().c_str(), stderr);
  std::exit(devices.error().code() == Errc::not_found ? 0 : 12);
}

void look_without_drivers(const char* list) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-no-drivers"));
  ::setenv("OCL_ICD_VENDORS", folder.path().c_str(), 1);
  report(list == nullptr ? all_devices() : select_devices(list));
}

class NoDriverDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NoDriverDeathTest, no_platform_is_one_line_that_says_what_to_install) {
  EXPECT_EXIT(look_without_drivers(nullptr), ::testing::ExitedWithCode(0),
              "no OpenCL (platform|device).*install.*pocl-opencl-icd");
}

TEST_F(NoDriverDeathTest, every_list_gives_the_same_answer) {
  for (const char* list : {"all", "cpu", "0", "~x", "cpu/2"})
    EXPECT_EXIT(look_without_drivers(list), ::testing::ExitedWithCode(0), "no OpenCL") << list;
}

}  // namespace
}  // namespace kiln::testing
