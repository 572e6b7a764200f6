#include "cli/profile/profile.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/os/file.hpp"

// Profiles as the layer writes them, made here by hand.
namespace kiln::cli::profile {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

constexpr const char* identity = "00112233445566ff";
constexpr const char* text =
    "kernel void saxpy(global float* y, global const float* x, float a, uint n) {\n"
    "  size_t i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n"
    "kernel void sum(global float* y, uint n) { float s = 0;\n"
    "  for (uint i = 0; i < n; ++i) s += y[i]; y[0] = s; }\n";

Json times(std::uint64_t calls, std::uint64_t ns, std::uint64_t bytes) {
  return {{"calls", calls},  {"timed", calls},   {"failed", 0},      {"total_ns", calls * ns},
          {"median_ns", ns}, {"min_ns", ns / 2}, {"max_ns", ns * 2}, {"bytes", bytes}};
}

Json kernel(const std::string& name, std::uint64_t calls, std::uint64_t ns) {
  Json made{{"name", name}, {"program", 0}, {"device", 0}};
  made.update(times(calls, ns, calls * 8000));
  made["work_items"] = calls * 1000;
  made["launches"] = Json::parse(R"([{"calls": 1, "global": [1000], "local": [10], "offset": null},
      {"calls": 2, "global": [500, 2], "local": null, "offset": [1, 0]}])");
  made["other_launches"] = 0;
  return made;
}

Json process_file() {
  const Json none{{"calls", 0}, {"ns", 0}};
  Json file{{"format", "kiln profile"}, {"version", 1}};
  file["process"] = {{"pid", 42},
                     {"command", {"solver", "--steps", "3"}},
                     {"started", 1'700'000'000},
                     {"wall_ns", 5'000'000},
                     {"ended", true}};
  file["devices"] = {{{"name", "Test CPU"},
                      {"vendor", "V"},
                      {"version", "OpenCL 3.0"},
                      {"driver_version", "1"},
                      {"platform", "P"},
                      {"platform_version", "3"},
                      {"type", "cpu"},
                      {"compute_units", 4},
                      {"clock_mhz", 2000},
                      {"is_part", false}}};
  file["programs"] = {{{"identity", identity},
                       {"has_text", true},
                       {"options", "-D A=1"},
                       {"builds", 1},
                       {"build_ns", 1000}}};
  file["kernels"] = {kernel("saxpy", 3, 1000), kernel("sum", 3, 9000)};
  Json read{{"kind", "read"}, {"device", 0}};
  read.update(times(2, 500, 64));
  file["transfers"] = Json::array({read});
  file["builds"] = {{"build", {{"calls", 1}, {"ns", 1000}}},
                    {"compile", none},
                    {"link", none},
                    {"binaries", none},
                    {"failed", 0}};
  file["waits"] = {{"finish", {{"calls", 4}, {"ns", 70}}},
                   {"wait_for_events", none},
                   {"blocking_transfer", none}};
  file["trace"] = {{"queues", {{{"device", 0}, {"clock_distance_ns", -100}}}},
                   {"started_ns", 0},
                   {"spans", 2},
                   {"left_out", 0}};
  return file;
}

class ProfileTest : public ::testing::Test {
 protected:
  ProfileTest() : folder_(value_or_throw(TemporaryFolder::create("kiln-profile"))) {
    write(std::string(identity) + ".cl", text);
  }
  fs::path folder() const { return folder_.path(); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder() / name, std::ios::binary) << content;
  }
  Profile read(const Json& file) const {
    write("1-1.json", file.dump());
    return read_profile(folder());
  }
  /// What reading says of a file; "" where it takes it.
  std::string refusal(const std::string& content) const {
    write("1-1.json", content);
    try {
      (void)read_profile(folder());
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
      return std::string(error.message());
    }
  }
  std::string page(const Profile& profile) const {
    write_profile_page(profile, folder() / "page.html");
    return value_or_throw(read_text(folder() / "page.html"));
  }

 private:
  TemporaryFolder folder_;
};

/// What is wrong with the nesting of a page's elements; "" where nothing is.
std::string fault_of(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string::npos;) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag has no end";
    std::string tag = page.substr(at + 1, end - at - 1);
    at = end;
    if (tag.find('<') != std::string::npos) return "a tag within <" + tag;
    if (std::ranges::count(tag, '"') % 2 != 0) return "an open quote in <" + tag;
    if (tag.starts_with("!") || tag.ends_with("/")) continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name == "br" || name == "meta") continue;
    if (!name.starts_with("/")) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "<" + name + "> where " + (open.empty() ? "nothing" : open.back()) + " is open";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

TEST_F(ProfileTest, kernels_are_sorted_by_their_time) {
  const Profile profile = read(process_file());
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels[0].name, "sum");
  EXPECT_EQ(profile.kernels[1].name, "saxpy");
  EXPECT_EQ(profile.processes.at(0).kernels, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(profile.kernel_ns(), 30'000u);
  EXPECT_EQ(profile.kernels[1].forms.at(0).calls, 2u);  // the most frequent first
  EXPECT_DOUBLE_EQ(profile.kernels[1].bytes_per_second(), 8e9);
}

TEST_F(ProfileTest, operations_are_counted_in_the_programs_text) {
  Profile profile = read(process_file());
  count_operations_of(profile);
  EXPECT_EQ(profile.kernels[1].operations.per_work_item, 2);
  EXPECT_DOUBLE_EQ(profile.kernels[1].flops(), 2 * 3000 / 3e-6);
  EXPECT_THAT(profile.kernels[0].operations.reason, HasSubstr("line 4: how often"));
  EXPECT_EQ(profile.kernels[0].flops(), 0);
}

TEST_F(ProfileTest, a_text_that_is_gone_is_a_reason) {
  fs::remove(folder() / (std::string(identity) + ".cl"));
  Profile profile = read(process_file());
  count_operations_of(profile);
  EXPECT_NE(profile.kernels[0].operations.reason, "");
}

TEST_F(ProfileTest, kernels_of_two_processes_are_one) {
  Json other = process_file();
  other["process"]["pid"] = 43;
  other["kernels"] = {kernel("saxpy", 30, 4000)};
  other["kernels"][0]["launches"] =
      Json::parse(R"([{"calls": 30, "global": [1000], "local": [10], "offset": null}])");
  write("2-1.json", other.dump());
  const Profile profile = read(process_file());
  EXPECT_EQ(profile.processes.size(), 2u);
  EXPECT_EQ(profile.devices.size(), 1u);
  ASSERT_EQ(profile.kernels.size(), 2u);
  const ProfiledKernel& saxpy = profile.kernels[0];
  EXPECT_EQ(saxpy.name, "saxpy");
  EXPECT_EQ(saxpy.times.calls, 33u);
  EXPECT_EQ(saxpy.times.total_ns, 3'000u + 120'000u);
  EXPECT_EQ(saxpy.times.min_ns, 500u);
  EXPECT_EQ(saxpy.times.max_ns, 8000u);
  EXPECT_EQ(saxpy.times.median_ns, 4000u);  // of most launches
  EXPECT_EQ(saxpy.forms.at(0).calls, 31u);
  EXPECT_EQ(profile.programs.at(0).builds, 2u);
}

TEST_F(ProfileTest, damaged_files_are_refused_in_one_line) {
  const Json file = process_file();
  EXPECT_EQ(refusal(file.dump()), "");
  std::vector<std::string> damaged{"{",
                                   "[]",
                                   "null",
                                   "\"x\"",
                                   file.dump().substr(0, 400),
                                   "{\"format\": \"kiln profile\"}",
                                   std::string(1000, '[')};
  const auto with = [&](const char* pointer, const Json& value) {
    Json changed = file;
    changed[Json::json_pointer(pointer)] = value;
    damaged.push_back(changed.dump());
  };
  with("/version", 2);
  with("/format", "other");
  with("/devices", 3);
  with("/kernels/0/program", 1);
  with("/kernels/0/device", 7);
  with("/kernels/0/device", -1);
  with("/kernels/0/calls", "many");
  with("/kernels/0/total_ns", -5);
  with("/kernels/0/name", 5);
  with("/kernels/0/launches/0/global", Json::array());
  with("/kernels/0/launches/0/global", Json::array({1, 2, 3, 4}));
  with("/programs/0/identity", "../../etc/passwd");
  with("/trace/queues/0/clock_distance_ns", 1.5);
  for (const auto& content : damaged) {
    const std::string why = refusal(content);
    EXPECT_THAT(why, HasSubstr("1-1.json: ")) << content.substr(0, 200);
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  }
}

TEST_F(ProfileTest, each_missing_member_is_named) {
  const Json file = process_file();
  for (const auto& [name, value] : file.items()) {
    if (name == "trace") continue;  // only with spans
    Json without = file;
    without.erase(name);
    EXPECT_NE(refusal(without.dump()), "") << name;
  }
  for (const auto& [name, value] : file["kernels"][0].items()) {
    Json without = file;
    without["kernels"][0].erase(name);
    EXPECT_THAT(refusal(without.dump()), HasSubstr("'" + name + "' is missing"));
  }
}

TEST_F(ProfileTest, an_empty_file_is_of_a_process_that_was_killed) {
  write("9-1.json", "");
  const Profile profile = read(process_file());
  EXPECT_EQ(profile.processes.size(), 1u);
  EXPECT_THAT(profile.notes.at(0), HasSubstr("9-1.json is empty"));
}

TEST_F(ProfileTest, the_page_has_what_was_measured) {
  Profile profile = read(process_file());
  count_operations_of(profile);
  profile.devices[0].roofs = DeviceRoofs{1e11, 2e10, 5e10, 1e10, 2e10, 3e10};
  const std::string page = this->page(profile);
  EXPECT_EQ(fault_of(page), "");
  for (const char* part : {"<title>Profile of solver --steps 3</title>",
                           "saxpy",
                           "sum",
                           "10.0 %",
                           "90.0 %",
                           "1000 / 10",
                           "500×2 / driver&#39;s choice from 1×0",
                           "8.00 GB/s",
                           "26.7 % of the roof",
                           "2.00 GFLOP/s",
                           "2.0 % of the roof",
                           "2 a work-item",
                           "how often the loop runs",
                           "Test CPU",
                           "memory 30.0 GB/s",
                           "single precision 100 GFLOP/s",
                           "<circle",
                           "clBuildProgram",
                           "clFinish",
                           "Processes"}) {
    std::string expected = part;
    if (const auto quote = expected.find("&#39;"); quote != std::string::npos)
      expected.replace(quote, 5, "'");
    EXPECT_THAT(page, HasSubstr(expected));
  }
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), page.find("http-equiv"));
  EXPECT_EQ(page.find('@'), page.find("@media"));
}

TEST_F(ProfileTest, names_cannot_become_markup) {
  Json file = process_file();
  const std::string nasty = "<script>\"'&amp;</td>\n\x1b[31m";
  file["kernels"][0]["name"] = nasty;
  file["devices"][0]["name"] = nasty;
  file["process"]["command"] = {nasty};
  file["programs"][0]["options"] = nasty;
  const Profile profile = read(file);
  const std::string page = this->page(profile);
  EXPECT_EQ(fault_of(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST_F(ProfileTest, without_roofs_or_counts_there_is_no_drawing) {
  Profile profile = read(process_file());
  count_operations_of(profile);
  EXPECT_EQ(page(profile).find("<circle"), std::string::npos);
  profile.devices[0].roofs = DeviceRoofs{1e11, 2e10, 5e10, 1e10, 2e10, 3e10};
  EXPECT_NE(page(profile).find("<circle"), std::string::npos);
  profile.kernels.erase(profile.kernels.begin() + 1);  // the one that was counted
  EXPECT_THAT(page(profile), HasSubstr("there is no roofline"));
}

TEST_F(ProfileTest, a_program_without_opencl_has_a_page_that_says_so) {
  const Profile profile = read_profile(folder());
  const std::string page = this->page(profile);
  EXPECT_EQ(fault_of(page), "");
  EXPECT_THAT(page, HasSubstr("No process of the program used OpenCL"));
}

TEST_F(ProfileTest, a_profile_of_nothing_but_a_device_has_a_page) {
  Json file = process_file();
  for (const char* list : {"kernels", "programs", "transfers"}) file[list] = Json::array();
  EXPECT_EQ(fault_of(page(read(file))), "");
}

TEST_F(ProfileTest, the_json_has_all_figures) {
  Profile profile = read(process_file());
  count_operations_of(profile);
  profile.devices[0].roofs = DeviceRoofs{1e11, 2e10, 5e10, 1e10, 2e10, 3e10};
  write_profile_json(profile, folder() / "all.txt");
  const Json json = Json::parse(value_or_throw(read_text(folder() / "all.txt")));
  EXPECT_EQ(json["devices"][0]["roofs"]["single_flops"], 1e11);
  EXPECT_EQ(json["kernels"][1]["name"], "saxpy");
  EXPECT_DOUBLE_EQ(json["kernels"][1]["share"], 0.1);
  EXPECT_EQ(json["kernels"][1]["operations_per_work_item"], 2);
  EXPECT_EQ(json["kernels"][0]["operations_per_work_item"], nullptr);
  EXPECT_EQ(json["kernels"][1]["launches"][0]["local"], nullptr);
  EXPECT_EQ(json["builds"]["build"]["calls"], 1);
}

TEST_F(ProfileTest, spans_get_names_and_the_hosts_clock) {
  write("1-1.spans",
        "0 0 1000 500 64\n0 read 2000 10 32\nhost wait 1050 600 0\n"
        "7 0 1 1 1\n0 99 1 1 1\n");  // a queue and a kernel that are not there
  const Profile profile = read(process_file());
  write_profile_trace(profile, (folder() / "trace").string());
  const Json trace = Json::parse(value_or_throw(read_text(folder() / "trace")));
  std::map<std::string, Json> spans;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") spans[event["name"]] = event;
  ASSERT_EQ(spans.size(), 3u) << trace;
  // The device's clock is 100 ns behind: its 1000 is the host's 1100, 50 after the wait began.
  EXPECT_DOUBLE_EQ(spans["wait"]["ts"], 0);
  EXPECT_DOUBLE_EQ(spans["saxpy"]["ts"], 0.05);
  EXPECT_DOUBLE_EQ(spans["saxpy"]["dur"], 0.5);
  EXPECT_EQ(spans["saxpy"]["args"]["bytes"], "64");
  EXPECT_EQ(spans["read"]["cat"], "read");
}

}  // namespace
}  // namespace kiln::cli::profile
