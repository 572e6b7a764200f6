#include "kernel/request/device_facts.hpp"

#include <gtest/gtest.h>

#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

/// The tests' device by another name, with what PoCL's own string for it is.
Device named_device(const std::string& name, const std::string& pocl_string) {
  Device device = *cpu_device();
  device.name = name;
  device.pocl = !pocl_string.empty();
  device.pocl_device_string = pocl_string;
  return device;
}

TEST(DeviceFactsOf, name_a_processor_alike_whatever_release_of_pocl_drives_it) {
  const auto old = DeviceFacts::of(named_device("pthread-skylake-avx512-AMD EPYC",
                                                "pthread-x86_64-pc-linux-gnu-skylake-avx512"));
  const auto later = DeviceFacts::of(
      named_device("cpu-skylake-avx512-AMD EPYC", "cpu-x86_64-pc-linux-gnu-skylake-avx512"));
  EXPECT_EQ(old, later);
  EXPECT_EQ(old.model, "skylake-avx512-AMD EPYC");
  EXPECT_EQ(old.architecture, "skylake-avx512");
  EXPECT_EQ(old.type, "CPU");
}

TEST(DeviceFactsOf, have_no_architecture_where_the_driver_tells_none) {
  const auto facts = DeviceFacts::of(named_device("a-b-c", ""));
  EXPECT_EQ(facts.model, "a-b-c");
  EXPECT_EQ(facts.architecture, "");
  EXPECT_EQ(DeviceFacts::of(named_device("cpu", "cpu-x")).model, "cpu");
}

TEST(DeviceDistance, counts_models_architectures_vendors_and_factors_of_two) {
  const DeviceFacts here{"GPU", "a vendor", 64, 1, 49152, "model 1", "arch 1"};
  const auto with = [&](auto change) {
    DeviceFacts other = here;
    change(other);
    EXPECT_EQ(device_distance(here, other), device_distance(other, here));
    return device_distance(here, other);
  };
  EXPECT_EQ(with([](auto&) {}), 0);
  EXPECT_EQ(with([](auto& d) { d.model = "model 2"; }), 10);
  EXPECT_EQ(with([](auto& d) { d.model = "model 2", d.architecture = "arch 2"; }), 20);
  EXPECT_EQ(with([](auto& d) { d.model = "model 2", d.architecture = ""; }), 20);
  EXPECT_EQ(with([](auto& d) { d.model = "model 2", d.vendor = "another"; }), 40);
  EXPECT_EQ(with([](auto& d) { d.compute_units = 16; }), 4);
  EXPECT_EQ(with([](auto& d) { d.compute_units = 0; }), 0) << "not known";
  EXPECT_DOUBLE_EQ(with([](auto& d) { d.native_floats = 4, d.local_memory *= 2; }), 6);
}

}  // namespace
}  // namespace kiln::testing
