// `kiln tune --replay`: strategies on a measured space.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command/commands.hpp"
#include "cli/command_process.hpp"
#include "tune/strategy/strategy.hpp"

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using kiln::testing::expect_refusal;

class TuneReplay : public kiln::testing::CommandTest {
 protected:
  /// A cache file of X = 1..40 and Y = 0, 1: best at X = `best`, Y = 1; X = 7 fails.
  std::string cache(int best) const {
    Json file = {{"device_name", "a device"},
                 {"kernel_name", "a_kernel"},
                 {"tune_params_keys", {"X", "Y"}},
                 {"tune_params", {{"X", Json::array()}, {"Y", {0, 1}}}},
                 {"cache", Json::object()}};
    for (int x = 1; x <= 40; ++x) {
      file["tune_params"]["X"].push_back(x);
      for (int y = 0; y < 2; ++y) {
        Json entry = {{"X", x}, {"Y", y}, {"time", 10 + (x - best) * (x - best) - y}};
        if (x == 7) entry["time"] = "RuntimeFailedConfig";
        file["cache"][std::to_string(x) + "," + std::to_string(y)] = entry;
      }
    }
    // nlohmann's objects are sorted, and a cache stands behind its parameters.
    std::string text = "{\"device_name\": \"a device\", \"kernel_name\": \"a_kernel\"";
    for (const char* const key : {"tune_params_keys", "tune_params", "cache"}) {
      text += std::string(", \"") + key + "\": " + file[key].dump();
    }
    return text + "}";
  }

  Json json(std::vector<std::string> words) {
    const auto result = kiln(std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return Json::parse(result.output);
  }
};

TEST_F(TuneReplay, gives_one_object_with_the_figures) {
  write("a.json", cache(20));
  const Json found = json({"tune", "--replay", "a.json", "--seeds", "10", "--json"});
  EXPECT_EQ(found["seeds"], 10);
  EXPECT_EQ(found["configurations"], 80);
  EXPECT_EQ(found["failing"], 2);
  EXPECT_EQ(found["strategy"], "forest");
  EXPECT_EQ(found["device"], "a device");
  EXPECT_EQ(found["evaluations"].size(), 10u);
  EXPECT_GE(found["median_evaluations"], 1);
  EXPECT_LE(found["median_evaluations"], found["p90_evaluations"]);
  EXPECT_TRUE(found["score"].is_number());
}

TEST_F(TuneReplay, counts_the_place_of_the_best_in_an_exhaustive_search) {
  write("a.json", cache(20));
  const auto count = [&](const std::string& within) {
    return json({"tune", "--replay", "a.json", "--strategy", "exhaustive", "--seeds", "1",
                 "--within", within, "--json"})["median_evaluations"];
  };
  // The file's order is that of the keys' texts: "1,0", "1,1", "10,0", … "20,1" is the 26th.
  EXPECT_EQ(count("0"), 26);
  EXPECT_EQ(count("99"), 1);
}

TEST_F(TuneReplay, compares_all_strategies_in_a_table) {
  write("a.json", cache(20));
  const auto result = kiln({"tune", "--replay", "a.json", "--strategy", "all", "--seeds", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("a_kernel on a device: 80 configurations, 2 failing"));
  for (const auto& info : kiln::tune::strategies()) {
    EXPECT_THAT(result.output, HasSubstr(std::string(info.name)));
  }
}

TEST_F(TuneReplay, starts_from_another_device) {
  write("a.json", cache(20));
  write("b.json", cache(21));
  const Json cold = json({"tune", "--replay", "a.json", "--seeds", "9", "--json"});
  const Json warm =
      json({"tune", "--replay", "a.json", "--from", "b.json", "--seeds", "9", "--json"});
  const Json run = json({"tune", "--replay", "a.json", "--from", "b.json", "--from-evaluations",
                         "30", "--seeds", "9", "--json"});
  EXPECT_LE(warm["median_evaluations"], 5);
  EXPECT_LT(warm["median_evaluations"], cold["median_evaluations"]);
  EXPECT_LE(run["median_evaluations"], cold["median_evaluations"]);
}

TEST_F(TuneReplay, is_the_same_every_time) {
  write("a.json", cache(13));
  const std::vector<std::string> words = {"tune", "--replay", "a.json", "--seeds", "8", "--json"};
  EXPECT_EQ(kiln(words).output, kiln(words).output);
}

TEST_F(TuneReplay, refuses_bad_input_in_one_line) {
  write("a.json", cache(20));
  write("other.json", R"({"tune_params_keys": ["Z"], "tune_params": {"Z": [1]},
                          "cache": {"1": {"Z": 1, "time": 2}}})");
  write("bad.json", "{\"cache\": [");
  write("none.json", "{}");
  expect_refusal(kiln({"tune"}), 2, "or --replay FILE");
  expect_refusal(kiln({"tune", "--replay", "absent.json"}), 2, "absent.json");
  expect_refusal(kiln({"tune", "--replay", "bad.json"}), 2, "bad.json: byte ");
  expect_refusal(kiln({"tune", "--replay", "none.json"}), 2, "found neither 'cache' nor 'results'");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--strategy", "forrest"}), 2, "forest");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--seeds", "0"}), 2, "seeds");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--seeds", "99999999999"}), 2,
                 "--seeds: found 99999999999, expected at most 1000000");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--within", "100"}), 2, "less than 100");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--from-evaluations", "9"}), 2, "--from");
  expect_refusal(kiln({"tune", "--replay", "a.json", "--from", "other.json"}), 2,
                 "nothing in common with a.json");
}

TEST(TuneStrategies, that_the_command_knows_are_those_of_the_library) {
  std::vector<std::string_view> names;
  for (const auto& info : kiln::tune::strategies()) names.push_back(info.name);
  using namespace kiln::cli;
  const auto known = find_option(tune_command, "strategy")->choices.subspan(1);  // after "all"
  EXPECT_EQ(std::vector<std::string_view>(known.begin(), known.end()), names);
}

}  // namespace
