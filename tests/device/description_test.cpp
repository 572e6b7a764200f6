#include "device/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DeviceDescription, gpus_come_first) {
  bool seen_other = false;
  for (const auto& device : value_or_throw(all_devices())) {
    if (device->type != Device::Type::gpu) seen_other = true;
    EXPECT_FALSE(seen_other && device->type == Device::Type::gpu);
  }
}

TEST(DeviceDescription, holds_no_padding_and_usable_limits) {
  for (const auto& device : value_or_throw(all_devices())) {
    for (const auto* text : {&device->name, &device->vendor, &device->version,
                             &device->driver_version, &device->platform_name}) {
      ASSERT_FALSE(text->empty());
      EXPECT_NE(text->back(), '\0');
      EXPECT_NE(text->back(), ' ');
    }
    EXPECT_GT(device->compute_units, 0u);
    EXPECT_GT(device->max_work_group_size, 0u);
    EXPECT_GE(device->max_work_item_sizes.size(), 3u);
    EXPECT_GT(device->max_allocation, 0u);
  }
}

TEST(DeviceDescription, pocl_tells_the_string_that_its_archives_are_bound_to) {
  const auto device = cpu_device();
  if (device->platform_name.find("Portable Computing Language") == std::string::npos)
    GTEST_SKIP() << "the CPU device is not PoCL's";
  EXPECT_TRUE(device->pocl);
  EXPECT_THAT(device->pocl_device_string, HasSubstr("-linux-gnu-"));  // pthread-… or cpu-…
  EXPECT_THAT(device->pocl_device_string, Not(HasSubstr("HSTR")));
  EXPECT_THAT(device->version, HasSubstr("HSTR: " + device->pocl_device_string));
  EXPECT_TRUE(device->host_memory);
}

TEST(DeviceDescription, the_fingerprint_names_driver_and_device_versions) {
  const auto device = cpu_device();
  for (const auto* part : {&device->platform_name, &device->platform_version, &device->name,
                           &device->version, &device->driver_version})
    EXPECT_THAT(device->fingerprint(), HasSubstr(*part));
  EXPECT_EQ(describe_device(device->handle)->fingerprint(), device->fingerprint());
}

TEST(DeviceDescription, every_status_has_its_standard_name) {
  EXPECT_EQ(cl_status_name(CL_INVALID_BINARY), "CL_INVALID_BINARY");
  EXPECT_EQ(cl_status_name(CL_DEVICE_NOT_FOUND), "CL_DEVICE_NOT_FOUND");
  EXPECT_EQ(cl_status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_EQ(cl_status_name(-9998), "unknown OpenCL status");
  EXPECT_EQ(cl_error("clFlush", CL_OUT_OF_RESOURCES).message(),
            "clFlush failed: CL_OUT_OF_RESOURCES (-5)");
}

}  // namespace
}  // namespace kiln::testing
