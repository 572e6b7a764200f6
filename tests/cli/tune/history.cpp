// What is kept of a search, and how the next one starts from it.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_process.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TuneHistory : public kiln::testing::RunTest {
 protected:
  TuneHistory() {
    set("KILN_STORE", fresh_store("store"));
    set("XDG_RUNTIME_DIR", servers());
  }
  kiln::ProcessResult ok(const std::vector<std::string>& words) {
    auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  Json tune(const std::string& n, const std::vector<std::string>& more = {},
            const std::string& evaluations = "3") {
    std::vector<std::string> words{"tune", "gemv", "-n", n, "--evaluations", evaluations, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(ok(words).output, nullptr, false);
  }
  /// Of several, that of a problem's size.
  Json search_of(const char* member, std::int64_t value) {
    std::istringstream lines(ok({"tuned", "ls", "--searches", "--json"}).output);
    for (std::string line; std::getline(lines, line);)
      if (Json json = Json::parse(line); json[member] == value) return json;
    return {};
  }
  /// A row's values as a journal has them.
  static std::string kept_text(const Json& kept, const Json& row) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    std::size_t at = 3;
    for (const auto& [name, list] : kept["parameters"].items())
      values[name] = list[row[at++].get<std::size_t>()].get<std::int64_t>();
    return values.dump();
  }
  Json search() { return Json::parse(ok({"tuned", "ls", "--searches", "--json"}).output); }
};

TEST_F(TuneHistory, a_search_starts_from_the_nearest_on_record) {
  EXPECT_EQ(tune("64")["started_from"], "");
  EXPECT_THAT(tune("128")["started_from"].get<std::string>(), HasSubstr("3 evaluations, size 64"));
  EXPECT_EQ(tune("256", {"--from-scratch"})["started_from"], "");
  EXPECT_EQ(tune("512", {"--strategy", "random"})["started_from"], "")
      << "it learns from no other search";
  const auto text = ok({"tune", "gemv", "-n", "100", "--evaluations", "2"}).output;
  EXPECT_THAT(text, HasSubstr("Starts from a search of 3 evaluations, size 128."));
}

TEST_F(TuneHistory, the_best_of_another_size_is_measured_second) {
  tune("64", {"--strategy", "exhaustive"}, "0");
  const Json second = tune("80", {}, "2");
  const Json kept = search_of("size", 64);
  double least = 1e9;
  Json best;
  for (const auto& row : kept["evaluations"])
    if (row[2].is_number() && row[2].get<double>() < least) {
      least = row[2].get<double>();
      best = row;
    }
  const auto journal = kiln::read_text(second["journal"].get<std::string>()).value();
  EXPECT_THAT(journal, HasSubstr(kept_text(kept, best)))
      << "the fastest there, along with the built-in";
}

TEST_F(TuneHistory, the_store_alone_is_enough_for_reports_and_exports) {
  const Json tuned = tune("64");
  fs::remove_all(folder() / ".local" / "state");
  const Json kept = search();
  EXPECT_EQ(kept["evaluations"].size(), 3u);
  EXPECT_EQ(kept["evaluated"], 3);
  EXPECT_EQ(kept["seed"], 0);
  EXPECT_EQ(kept["facts"]["type"], "CPU");
  EXPECT_FALSE(kept["kiln"].get<std::string>().empty());
  const auto list = ok({"tuned", "ls", "--searches"}).output;
  EXPECT_THAT(list, HasSubstr("gemv float"));
  const std::string id = list.substr(list.find('\n') + 1, 8);
  EXPECT_THAT(ok({"tuned", "show", id}).output, HasSubstr("strategy       forest, seed 0"));
  ok({"tuned", "report", id, "-o", "page.html"});
  EXPECT_GT(fs::file_size(folder() / "page.html"), 2000u);
  const auto csv = ok({"tuned", "export", id, "--format", "csv"}).output;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  ok({"tuned", "export", id, "--format", "t4", "-o", "t4.json"});
  EXPECT_THAT(ok({"tune", "--replay", "t4.json", "--seeds", "2"}).output,
              HasSubstr("3 configurations"));
  EXPECT_EQ(Json::parse(ok({"tuned", "export", "--all"}).output)["searches"].size(), 1u);
}

TEST_F(TuneHistory, export_all_names_a_search_once_though_its_journal_is_here) {
  tune("64");
  EXPECT_EQ(Json::parse(ok({"tuned", "export", "--all"}).output)["searches"].size(), 1u);
}

TEST_F(TuneHistory, a_search_travels_in_a_pack) {
  tune("64");
  ok({"store", "export", "--kind", "record", "all.pack"});
  set("KILN_STORE", fresh_store("other"));
  ok({"store", "import", "all.pack"});
  EXPECT_EQ(search()["evaluations"].size(), 3u);
  EXPECT_THAT(tune("128")["started_from"].get<std::string>(), HasSubstr("size 64"));
}

TEST_F(TuneHistory, a_journal_that_is_gone_on_with_has_the_same_start_or_says_so) {
  tune("64");
  tune("128", {"--journal", "j"});
  const auto head = [&] {
    const auto text = kiln::read_text(folder() / "j").value();
    return Json::parse(text.substr(0, text.find('\n')));
  };
  const std::string start = head()["start"];
  EXPECT_EQ(start.empty(), false);
  tune("72");  // nearer to 128 than 64 is
  EXPECT_EQ(tune("128", {"--journal", "j", "--resume"})["evaluated"], 6);
  EXPECT_EQ(head()["start"], start);
  set("KILN_STORE", fresh_store("empty"));
  const auto without =
      ok({"tune", "gemv", "-n", "128", "--evaluations", "1", "--journal", "j", "--resume"});
  EXPECT_THAT(without.errors, HasSubstr("no longer on record; goes on without it"));
  EXPECT_THAT(without.output, HasSubstr("7 of "));
}

TEST_F(TuneHistory, without_a_store_nothing_is_kept_and_nothing_said) {
  set("KILN_STORE", "off");
  const auto result = ok({"tune", "gemv", "-n", "64", "--evaluations", "2"});
  // But for progress, where the machine is slow.
  EXPECT_TRUE(result.errors.empty() || result.errors.starts_with("kiln: tune ")) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("Starts from")));
}

TEST_F(TuneHistory, an_unknown_search_is_one_line) {
  tune("64");
  kiln::testing::expect_refusal(kiln({"tuned", "report", "abcdef0", "-o", "x.html"}), 2, "abcdef0");
}

TEST_F(TuneHistory, explanations_name_the_size_that_was_measured) {
  tune("640");  // its record is good from 320 to 1280
  const auto near = ok({"blas", "explain", "gemv", "-n", "700", "--json"}).output;
  EXPECT_THAT(near, HasSubstr("size 640"));
  const auto far = ok({"blas", "explain", "gemv", "-n", "100000", "-m", "2", "--json"}).output;
  EXPECT_THAT(far, HasSubstr("is too far"));
}

}  // namespace
