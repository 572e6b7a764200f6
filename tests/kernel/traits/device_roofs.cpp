#include "kernel/traits/device_roofs.hpp"

#include <gtest/gtest.h>

#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

class DeviceRoofsTest : public StoreFixture {
 protected:
  /// Keeps figures as an earlier measurement would have.
  static void keep(DriverFindings& findings, const Device& device, const Findings& figures) {
    std::vector<std::string> names;
    for (const auto& [name, finding] : figures) names.push_back(name);
    findings.get(fmt::format("roofs of {} compute units", device.compute_units), device, names,
                 [&](const auto&) { return figures; });
  }
};

TEST_F(DeviceRoofsTest, are_those_on_record) {
  const auto store = open_local_store(store_folder());
  DriverFindings earlier(store.get());
  keep(earlier, *device_,
       {{"single precision", {true, "2.5e+11 FLOP/s"}},
        {"single precision, one chain", {true, "4e+10 FLOP/s"}},
        {"double precision", {true, "1.25e+11 FLOP/s"}},
        {"double precision, one chain", {false, "CL_OUT_OF_RESOURCES"}},
        {"reads of global memory", {true, "2e+10 B/s"}},
        {"copies in global memory", {true, "3e+10 B/s"}}});
  DriverFindings findings(store.get());
  const DeviceRoofs roofs = device_roofs(findings, device_);
  EXPECT_EQ(roofs.single_flops, 2.5e11);
  EXPECT_EQ(roofs.single_chained_flops, 4e10);
  EXPECT_EQ(roofs.double_flops, 1.25e11);
  EXPECT_EQ(roofs.double_chained_flops, 0);
  EXPECT_EQ(roofs.read_bytes, 2e10);
  EXPECT_EQ(roofs.memory_bytes(), 3e10);
}

TEST_F(DeviceRoofsTest, what_is_not_on_record_is_measured) {
  DriverFindings findings(nullptr, DriverFindings::WithoutStore::by_this);
  // All but one, which is the quickest to measure.
  keep(findings, *device_,
       {{"single precision", {true, "1 FLOP/s"}},
        {"double precision", {true, "1 FLOP/s"}},
        {"double precision, one chain", {true, "1 FLOP/s"}},
        {"reads of global memory", {true, "1 B/s"}},
        {"copies in global memory", {true, "1 B/s"}}});
  const DeviceRoofs roofs = device_roofs(findings, device_);
  EXPECT_EQ(roofs.single_flops, 1);
  EXPECT_GT(roofs.single_chained_flops, 1e8) << "operations a second";
  EXPECT_LT(roofs.single_chained_flops, 1e15);
}

}  // namespace
}  // namespace kiln::testing
