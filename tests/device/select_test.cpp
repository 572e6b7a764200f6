// Device lists as on the command line.
#include <fmt/format.h>

#include "device/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names(const Expected<std::vector<DevicePtr>>& devices) {
  std::vector<std::string> list;
  for (const auto& device : value_or_throw(devices)) list.push_back(device->name);
  return list;
}

void expect_error(std::string_view list, Errc code, const std::string& part) {
  const auto result = select_devices(list);
  ASSERT_FALSE(result) << list;
  EXPECT_EQ(result.error().code(), code) << list;
  EXPECT_THAT(result.error().message(), HasSubstr(part)) << list;
  EXPECT_THAT(result.error().message(), Not(HasSubstr("\n"))) << list;
  EXPECT_THAT(result.error().message(), Not(HasSubstr("--"))) << "each caller has its own option";
}

TEST(SelectDevices, all_and_an_empty_list_are_every_device_in_order) {
  const auto every = names(all_devices());
  EXPECT_EQ(names(select_devices("all")), every);
  EXPECT_EQ(names(select_devices("")), every);
}

TEST(SelectDevices, an_index_is_the_place_among_all_devices) {
  const auto every = value_or_throw(all_devices());
  for (std::size_t i = 0; i < every.size(); ++i) {
    const auto one = value_or_throw(select_devices(std::to_string(i)));
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0]->handle(), every[i]->handle());
  }
}

TEST(SelectDevices, cpu_takes_cpus_only) {
  const auto cpus = value_or_throw(select_devices("cpu"));
  ASSERT_FALSE(cpus.empty());
  for (const auto& device : cpus) EXPECT_EQ(device->type, Device::Type::cpu);
}

TEST(SelectDevices, a_part_of_a_name_matches_in_any_case) {
  const auto device = cpu_device();
  std::string part = device->name.substr(device->name.size() / 3, 4);
  for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (part.find_first_of(",/") != std::string::npos) GTEST_SKIP() << "the name holds " << part;
  bool found = false;
  for (const auto& name : names(select_devices("~" + part))) found |= name == device->name;
  EXPECT_TRUE(found) << part;
}

TEST(SelectDevices, a_slash_and_a_number_make_equal_sub_devices) {
  if (cpu_device()->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  const auto parts = value_or_throw(select_devices("cpu/2"));
  ASSERT_EQ(parts.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(parts[i]->compute_units, cpu_device()->compute_units / 2);
    EXPECT_EQ(parts[i]->part, i);
    EXPECT_EQ(parts[i]->parent->handle(), cpu_device()->handle());
  }
}

TEST(SelectDevices, a_slash_and_numbers_make_sub_devices_by_compute_units) {
  const unsigned units = cpu_device()->compute_units;
  if (units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  const auto parts = value_or_throw(select_devices(fmt::format("cpu/1,{}", units - 1)));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->compute_units, 1u);
  EXPECT_EQ(parts[1]->compute_units, units - 1);
}

TEST(SelectDevices, sub_devices_are_the_parents_program_but_not_its_speed) {
  const auto parent = cpu_device();
  if (parent->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  for (const auto& part : value_or_throw(partition_equally(parent, 2))) {
    EXPECT_EQ(part->fingerprint(), parent->fingerprint());
    EXPECT_NE(part->speed_identity(), parent->speed_identity());
  }
}

TEST(SelectDevices, more_parts_of_that_size_than_asked_are_left_out) {
  const auto parent = cpu_device();
  const unsigned units = parent->compute_units;
  const unsigned asked = units / 2 + 1;  // parts of one unit, of which there are more
  if (units < 2 || units / asked != 1) GTEST_SKIP() << units << " compute units";
  EXPECT_EQ(value_or_throw(partition_equally(parent, asked)).size(), asked);
}

TEST(SelectDevices, impossible_divisions_say_how_many_units_there_are) {
  const std::string units = fmt::format("has {} compute units", cpu_device()->compute_units);
  expect_error("cpu/100000", Errc::bad_input, units);
  expect_error("cpu/1,100000", Errc::bad_input, units);
  expect_error("cpu/1,0", Errc::bad_input, units);
  expect_error("cpu/4294967295,4294967295", Errc::bad_input, units);
}

TEST(SelectDevices, an_unknown_name_lists_what_is_present) {
  for (const char* list : {"fpga", "~no such device", "99999", "CPU0", "-1", "~"})
    expect_error(list, Errc::not_found, "present: 0 ");
}

TEST(SelectDevices, malformed_lists_say_what_was_expected) {
  for (const char* list : {",", "cpu,", ",cpu", "cpu,,0"})
    expect_error(list, Errc::bad_input, "an empty item");
  for (const char* list : {"cpu/", "cpu/x", "cpu/0", "cpu/-1", "cpu/1/2", "cpu/1x"})
    expect_error(list, Errc::bad_input, "expected a positive number after '/'");
}

TEST(SelectDevices, no_device_may_be_named_twice) {
  std::size_t index = 0;
  const auto every = value_or_throw(all_devices());
  while (every[index]->handle() != cpu_device()->handle()) ++index;
  for (const auto& list :
       {std::string("cpu,cpu"), fmt::format("cpu,{}", index), fmt::format("{},all", index)})
    expect_error(list, Errc::bad_input, "is named twice");
}

TEST(SelectDevices, a_device_and_its_own_parts_count_as_twice) {
  if (cpu_device()->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  for (const char* list : {"cpu,cpu/2", "cpu/2,cpu", "cpu/2,cpu/2", "cpu/1,1,cpu"})
    expect_error(list, Errc::bad_input, "is named twice");
}

}  // namespace
}  // namespace kiln::testing
