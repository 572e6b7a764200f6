#include "cli/run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Devices : public kiln::testing::RunTest {};

TEST_F(Devices, are_listed_with_the_index_that_the_option_takes) {
  const auto result = kiln({"devices"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("index  type"));
  const auto all = json_lines(kiln({"devices", "--json"}).output);
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]["index"], i);
    const auto one = json_lines(kiln({"devices", "--json", "--devices", std::to_string(i)}).output);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0], all[i]);
  }
}

TEST_F(Devices, json_is_one_object_a_line) {
  for (const auto& device : json_lines(kiln({"devices", "--json"}).output))
    for (const char* field :
         {"index", "name", "type", "vendor", "version", "driver_version", "platform",
          "platform_version", "il_versions", "compute_units", "max_work_group_size",
          "global_memory", "local_memory", "host_memory", "fingerprint"})
      EXPECT_TRUE(device.contains(field)) << field;
}

TEST_F(Devices, a_selection_shows_its_parts) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const auto parts = json_lines(kiln({"devices", "--json", "--devices", "cpu/2"}).output);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]["part"], 0);
  EXPECT_EQ(parts[1]["part"], 1);
  EXPECT_EQ(parts[0]["index"], parts[1]["index"]);
  EXPECT_EQ(parts[0]["compute_units"], parts[1]["compute_units"]);
  EXPECT_THAT(kiln({"devices", "--devices", "cpu/2"}).output, HasSubstr(" part 1"));
}

TEST_F(Devices, a_device_that_has_gone_is_named_beside_those_that_are_there) {
  const auto name = json_lines(kiln({"devices", "--json"}).output).at(0)["name"].get<std::string>();
  expect_refusal(kiln({"devices", "--devices", "99"}), 2,
                 "no device matches '99'; present: 0 " + name);
  expect_refusal(kiln({"devices", "--devices", "~no such thing"}), 2, "no device matches");
  expect_refusal(kiln({"devices", "--devices", "0,0"}), 2, "named twice");
  expect_refusal(kiln({"devices", "--devices", "cpu/100000"}), 2,
                 "compute units: found 100000 parts, expected 1 to ");
  expect_refusal(kiln({"devices", "--devices", "cpu/0"}), 2, "positive number");
  expect_refusal(kiln({"devices", "--devices", "0,,0"}), 2, "empty item");
}

TEST_F(Devices, none_at_all_is_one_line) {
  std::filesystem::create_directories(folder() / "none");
  set("OCL_ICD_VENDORS", (folder() / "none").string());
  copy_spec();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"devices"},
                                                {"run", "copy_float.json", "copy_float.json"},
                                                {"verify", "copy_float.json", "copy_float.json"}})
    expect_refusal(kiln(words), 2, "pocl-opencl-icd");
}

TEST_F(Devices, a_cache_folder_that_pocl_cannot_write_is_named) {
  const auto present = json_lines(kiln({"devices", "--json"}).output);
  for (const auto& device : present)
    if (device["platform"] != "Portable Computing Language")
      GTEST_SKIP() << "another driver has devices as well";
  set("POCL_CACHE_DIR", "/proc/none");
  expect_refusal(kiln({"devices"}), 2, "POCL_CACHE_DIR");
}

}  // namespace
