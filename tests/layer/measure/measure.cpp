#include <nlohmann/json.hpp>
#include <sstream>

#include "layer/layer_process.hpp"

// The library that measures, in programs that know nothing of it (tests/layer/app/measured.cpp).
namespace kiln::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t elements = 4096, buffer_bytes = elements * 4;

class Measure : public LayerTest {
 protected:
  Measure() { fs::create_directory(profiles()); }

  fs::path profiles() const { return folder() / "profiles"; }

  Environment measuring() const {
    Environment environment = layer();
    environment["KILN_STORE"] = "off";
    environment["KILN_LAYER_PROFILE"] = profiles();
    environment["POCL_CACHE_DIR"] = known_programs("measured");
    return environment;
  }
  ProcessResult measured(const std::vector<std::string>& words) const {
    return run(KILN_LAYER_MEASURED, words, measuring());
  }
  ProcessResult unmeasured(const std::vector<std::string>& words) const {
    Environment environment = plain();
    environment["POCL_CACHE_DIR"] = known_programs("unmeasured");
    return run(KILN_LAYER_MEASURED, words, environment);
  }

  std::vector<fs::path> files(const std::string& extension) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(profiles()))
      if (entry.path().extension() == extension) found.push_back(entry.path());
    return found;
  }

  /// The one profile that there must be.
  Json profile() const {
    const auto found = files(".json");
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Json() : Json::parse(value_or_throw(read_text(found.front())));
  }
};

TEST_F(Measure, CountsLaunchesWithTheirSizesAndBytes) {
  const auto result = measured({"release", "100"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "measured: yes\n");
  const Json profile = this->profile();
  EXPECT_EQ(profile["format"], "kiln profile");
  EXPECT_EQ(profile["version"], 1);
  EXPECT_EQ(profile["process"]["ended"], true);
  ASSERT_EQ(profile["devices"].size(), 1u);
  ASSERT_EQ(profile["kernels"].size(), 1u) << profile;
  const Json& kernel = profile["kernels"][0];
  EXPECT_EQ(kernel["name"], "saxpy");
  EXPECT_EQ(kernel["calls"], 100);
  EXPECT_EQ(kernel["timed"], 100);
  EXPECT_EQ(kernel["failed"], 0);
  EXPECT_EQ(kernel["bytes"], 100 * 2 * buffer_bytes);
  EXPECT_EQ(kernel["work_items"], 100 * elements);
  EXPECT_EQ(kernel["launches"],
            Json::parse(R"([{"calls": 99, "global": [4096], "local": [64], "offset": null},
                            {"calls": 1, "global": [4096], "local": null, "offset": null}])"));
  EXPECT_EQ(kernel["other_launches"], 0);
}

TEST_F(Measure, TimesLieBetweenTheirBounds) {
  ASSERT_EQ(measured({"release", "50"}).exit_code, 0);
  const Json kernel = profile()["kernels"][0];
  const auto least = kernel["min_ns"].get<std::uint64_t>();
  const auto most = kernel["max_ns"].get<std::uint64_t>();
  const auto total = kernel["total_ns"].get<std::uint64_t>();
  EXPECT_GT(least, 0u);
  EXPECT_LE(least, kernel["median_ns"].get<std::uint64_t>());
  EXPECT_LE(kernel["median_ns"].get<std::uint64_t>(), most);
  EXPECT_LE(50 * least, total);
  EXPECT_LE(total, 50 * most);
}

TEST_F(Measure, CountsTransfersBuildsAndWaits) {
  ASSERT_EQ(measured({"release", "3"}).exit_code, 0);
  const Json profile = this->profile();
  ASSERT_EQ(profile["transfers"].size(), 2u) << profile;
  EXPECT_EQ(profile["transfers"][0]["kind"], "read");
  EXPECT_EQ(profile["transfers"][0]["calls"], 1);
  EXPECT_EQ(profile["transfers"][0]["bytes"], buffer_bytes);
  EXPECT_EQ(profile["transfers"][1]["kind"], "write");
  EXPECT_EQ(profile["transfers"][1]["bytes"], 2 * buffer_bytes);
  EXPECT_EQ(profile["builds"]["build"]["calls"], 1);
  EXPECT_GT(profile["builds"]["build"]["ns"], 0);
  EXPECT_EQ(profile["waits"]["finish"]["calls"], 1);
  EXPECT_EQ(profile["waits"]["wait_for_events"]["calls"], 1);
  EXPECT_EQ(profile["waits"]["blocking_transfer"]["calls"], 3);
  ASSERT_EQ(profile["programs"].size(), 1u);
  EXPECT_EQ(profile["programs"][0]["options"], "-cl-mad-enable");
  const auto text = profiles() / (profile["programs"][0]["identity"].get<std::string>() + ".cl");
  EXPECT_NE(value_or_throw(read_text(text)).find("kernel void saxpy"), std::string::npos);
}

TEST_F(Measure, AProgramSeesTheSameAnswersWithAndWithout) {
  for (const char* way : {"release", "profiled", "unordered"}) {
    const auto with = measured({way, "20"}), without = unmeasured({way, "20"});
    EXPECT_EQ(with.exit_code, without.exit_code) << way;
    EXPECT_EQ(with.output, without.output) << way;
    EXPECT_EQ(without.errors, "measured: no\n") << way;
  }
}

TEST_F(Measure, ATimedQueueOfTheProgramKeepsItsTimes) {
  const auto result = measured({"profiled", "20"});
  EXPECT_NE(result.output.find("time stamps: 0\n"), std::string::npos) << result.output;
  EXPECT_EQ(profile()["kernels"][0]["timed"], 20);
}

TEST_F(Measure, AQueueWithoutOrderIsCountedWhole) {
  ASSERT_EQ(measured({"unordered", "400"}).exit_code, 0);
  EXPECT_EQ(profile()["kernels"][0]["timed"], 400);
}

TEST_F(Measure, AnExitWithoutReleasesKeepsAll) {
  EXPECT_EQ(measured({"exit", "70"}).exit_code, 3);
  const Json profile = this->profile();
  EXPECT_EQ(profile["process"]["ended"], true);
  EXPECT_EQ(profile["kernels"][0]["timed"], 70);
}

TEST_F(Measure, AKilledProcessKeepsWhatWasWrittenBefore) {
  const auto result = measured({"kill", "70"});
  EXPECT_NE(result.exit_code, 0);
  const Json profile = this->profile();
  EXPECT_EQ(profile["process"]["ended"], false);
  EXPECT_EQ(profile["kernels"][0]["timed"], 70);
}

TEST_F(Measure, AChildOfAForkWritesNothingOfItsOwn) {
  ASSERT_EQ(measured({"fork", "5"}).exit_code, 0);
  EXPECT_EQ(profile()["kernels"][0]["calls"], 5);
}

TEST_F(Measure, EachProcessHasAFile) {
  ASSERT_EQ(measured({"release", "2"}).exit_code, 0);
  ASSERT_EQ(measured({"release", "3"}).exit_code, 0);
  EXPECT_EQ(files(".json").size(), 2u);
  EXPECT_EQ(files(".cl").size(), 1u);  // the same text
}

TEST_F(Measure, WritesASpanForEachCommandWhereAsked) {
  Environment environment = measuring();
  environment["KILN_LAYER_TRACE"] = "1";
  const auto traced = run(KILN_LAYER_MEASURED, {"release", "10"}, environment);
  ASSERT_EQ(traced.exit_code, 0);
  const auto found = files(".spans");
  ASSERT_EQ(found.size(), 1u);
  std::istringstream lines(value_or_throw(read_text(found.front())));
  int launches = 0, transfers = 0, host = 0;
  std::string queue, what;
  for (std::int64_t start = 0, length = 0, bytes = 0;
       lines >> queue >> what >> start >> length >> bytes;) {
    EXPECT_GE(length, 0);
    host += queue == "host";
    launches += queue == "0" && what == "0";
    transfers += queue == "0" && (what == "read" || what == "write");
  }
  EXPECT_EQ(launches, 10);
  EXPECT_EQ(transfers, 3);
  EXPECT_EQ(host, 1 + 2 + 3);  // the build, the waits, the blocking transfers
  EXPECT_EQ(profile()["trace"]["spans"], 10 + 3 + 6);
}

TEST_F(Measure, AFolderThatIsNotThereChangesNothing) {
  Environment environment = measuring();
  environment["KILN_LAYER_PROFILE"] = "/nonexistent/folder";
  const auto with = run(KILN_LAYER_MEASURED, {"release", "5"}, environment);
  const auto without = unmeasured({"release", "5"});
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_EQ(with.output, without.output);
}

}  // namespace
}  // namespace kiln::testing
