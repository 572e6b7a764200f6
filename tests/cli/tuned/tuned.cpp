// `kiln tuned ls`, `show`, `export` and `import`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_process.hpp"
#include "cli/tune/journal_samples.hpp"
#include "kernel/request/stored_record.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using testing::expect_refusal;
using testing::searched;

class Tuned : public testing::CommandTest {
 protected:
  Tuned() {
    set("KILN_STORE", store());
    set("KILN_TRUSTED_KEYS", "off");
  }
  std::string store() const { return (folder() / "store").string(); }

  /// Puts records into the store: gemm, of two sizes, and another family on another device.
  void fill() const {
    LocalStore store(this->store());
    const auto add = [&](const RecordSubject& subject, std::vector<Measurement> measured) {
      ASSERT_TRUE(add_to_record(store, subject, measured));
    };
    const auto kiln = Measurement::Of::kiln, others = Measurement::Of::others;
    add({"blas.gemm", 5, "gemm float", "p|1|a device|2|3|64|8 units"},
        {{{{"rows", 4}}, 128, 0.5, kiln, "kiln tune", {}},
         {{{"rows", 8}}, 128, 0.25, kiln, "kiln tune", {}},
         {{{"rows", 16}}, 1024, 40, kiln, "kiln tune", {}},
         {{{"rows", 32}}, 64, 0, others, "Tahiti.kdb, record 3", {{"dims", 2}}}});
    add({"blas.speed", 0, "memory", "p|1|a GPU|2|3|64|80 units"},
        {{{{"megaflops", 7}}, 10, 1, kiln, "measured", {}}});
  }

  ProcessResult ok(std::vector<std::string> words) const {
    auto result = kiln(std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }

  std::vector<Json> lines(std::vector<std::string> words) const {
    std::istringstream text(ok(std::move(words)).output);
    std::vector<Json> all;
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line));
    return all;
  }
};

TEST_F(Tuned, ls_shows_what_is_used_for_each_size) {
  fill();
  const auto text = ok({"tuned", "ls"}).output;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_THAT(text, HasSubstr("rows 8 "));
  EXPECT_THAT(text, HasSubstr("250.0 us"));
  EXPECT_THAT(text, HasSubstr("rows 16 "));
  EXPECT_THAT(text, Not(HasSubstr("rows 4 "))) << "slower at its size";
  EXPECT_THAT(text, Not(HasSubstr("rows 32 "))) << "of others, without a time: never used";
  EXPECT_THAT(text, HasSubstr("megaflops 7"));
  EXPECT_THAT(text, HasSubstr("a GPU"));
}

TEST_F(Tuned, ls_takes_a_part_of_a_family_or_device) {
  fill();
  EXPECT_EQ(lines({"tuned", "ls", "--json"}).size(), 2u);
  EXPECT_EQ(lines({"tuned", "ls", "--json", "--family", "gemm"}).at(0)["family"], "blas.gemm");
  const auto gpu = lines({"tuned", "ls", "--json", "--device", "GPU"});
  ASSERT_EQ(gpu.size(), 1u);
  EXPECT_EQ(gpu[0]["problem_class"], "memory");
  EXPECT_EQ(lines({"tuned", "ls", "--json", "--family", "none"}).size(), 0u);
}

TEST_F(Tuned, show_gives_the_whole_history) {
  fill();
  const auto record = lines({"tuned", "ls", "--json", "--family", "gemm"}).at(0);
  const std::string key = record["key"];
  const auto text = ok({"tuned", "show", key.substr(0, 8)}).output;
  for (const auto* part : {"blas.gemm, version 5", "gemm float", "p|1|a device|2|3|64|8 units",
                           "rows 4 ", "rows 8 ", "rows 16 ", "rows 32 ", "Tahiti.kdb, record 3"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(lines({"tuned", "show", key, "--json"}), std::vector<Json>{record});
  EXPECT_EQ(record["measured"].size(), 4u);
}

TEST_F(Tuned, an_empty_store_has_a_heading_and_no_record) {
  EXPECT_EQ(lines({"tuned", "ls", "--json"}).size(), 0u);
  EXPECT_THAT(ok({"tuned", "ls"}).output, HasSubstr("problem class"));
  EXPECT_EQ(Json::parse(ok({"tuned", "export"}).output)["records"], Json::array());
}

TEST_F(Tuned, records_travel_to_another_store) {
  fill();
  ok({"tuned", "export", "-o", "records.json"});
  const auto before = lines({"tuned", "ls", "--json"});
  set("KILN_STORE", (folder() / "other").string());
  EXPECT_EQ(ok({"tuned", "import", "--dry-run", "records.json"}).output,
            "dry run: 5 measurements in 2 records\n");
  EXPECT_FALSE(std::filesystem::exists(folder() / "other"));
  EXPECT_EQ(ok({"tuned", "import", "records.json"}).output,
            "5 of 5 measurements in 2 records are new here\n");
  EXPECT_EQ(ok({"tuned", "import", "records.json"}).output,
            "0 of 5 measurements in 2 records are new here\n");
  auto after = lines({"tuned", "ls", "--json"});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i]["key"], before[i]["key"]);
    ASSERT_EQ(after[i]["measured"].size(), before[i]["measured"].size());
    for (std::size_t k = 0; k < after[i]["measured"].size(); ++k) {
      auto& now = after[i]["measured"][k];
      EXPECT_EQ(now["from"], before[i]["measured"][k]["from"].get<std::string>() + ", imported");
      now["from"] = before[i]["measured"][k]["from"];
      EXPECT_EQ(now, before[i]["measured"][k]);
    }
  }
}

TEST_F(Tuned, an_import_leaves_what_was_measured_here) {
  fill();
  auto records = Json::parse(ok({"tuned", "export", "--family", "gemm"}).output);
  records["records"][0]["measured"][0]["milliseconds"] = 1e-9;
  write("better.json", records.dump());
  const auto before = lines({"tuned", "ls", "--json"});
  EXPECT_EQ(ok({"tuned", "import", "better.json"}).output,
            "0 of 4 measurements in 1 records are new here\n");
  EXPECT_EQ(lines({"tuned", "ls", "--json"}), before);
}

TEST_F(Tuned, a_bad_import_changes_nothing) {
  fill();
  ok({"tuned", "export", "-o", "good.json"});
  auto bad = Json::parse(read_text(folder() / "good.json").value());
  bad["records"][1]["measured"][0]["size"] = "large";
  write("bad.json", bad.dump());
  set("KILN_STORE", (folder() / "other").string());
  expect_refusal(kiln({"tuned", "import", "good.json", "bad.json"}), 2,
                 "bad.json: record 2: measurement 1: size: found '\"large\"'");
  expect_refusal(kiln({"tuned", "import", "none.json"}), 2, "none.json");
  EXPECT_FALSE(std::filesystem::exists(folder() / "other"));
}

TEST_F(Tuned, a_machine_that_asks_for_signatures_takes_no_json) {
  fill();
  ok({"tuned", "export", "-o", "records.json"});
  set("KILN_TRUSTED_KEYS", write("keys", "# none\n").string());
  expect_refusal(kiln({"tuned", "import", "records.json"}), 1, "signed");
}

TEST_F(Tuned, exports_records_in_each_format) {
  fill();
  EXPECT_THAT(ok({"tuned", "export", "--format", "csv"}).output,
              HasSubstr("blas.gemm,5,gemm float,128,0.25,rows=8,kiln,kiln tune,"));
  ok({"tuned", "export", "--format", "sqlite", "-o", "r.db"});
  EXPECT_EQ(read_text(folder() / "r.db").value().substr(0, 15), "SQLite format 3");
  const auto kdb = ok({"tuned", "export", "--format", "kdb", "--device", "cpu", "-o", "a.kdb"});
  EXPECT_THAT(kdb.output, HasSubstr("tuned records for "));
  EXPECT_EQ(kiln({"kdb", "verify", "a.kdb"}).exit_code, 0);
}

TEST_F(Tuned, exports_a_search_in_each_format) {
  write("a.jsonl", searched());
  EXPECT_EQ(
      Json::parse(ok({"tuned", "export", "a.jsonl"}).output)["searches"][0]["evaluations"].size(),
      100u);
  const auto csv = ok({"tuned", "export", "a.jsonl", "--format", "csv"}).output;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 101);
  ok({"tuned", "export", "a.jsonl", "a.jsonl", "--format", "sqlite", "-o", "a.db"});
  EXPECT_GT(std::filesystem::file_size(folder() / "a.db"), 10'000u);
  ok({"tuned", "export", "a.jsonl", "--format", "t4", "-o", "t4.json"});
  const auto replayed = lines({"tune", "--replay", "t4.json", "--seeds", "3", "--json"});
  EXPECT_EQ(replayed.at(0)["configurations"], 100);
  EXPECT_EQ(replayed.at(0)["device"], "a device");
}

TEST_F(Tuned, exports_all_searches_of_the_state_folder) {
  set("XDG_STATE_HOME", (folder() / "state").string());
  EXPECT_EQ(Json::parse(ok({"tuned", "export", "--all"}).output)["searches"].size(), 0u);
  write("state/kiln/tuning/b.jsonl", searched("b"));
  write("state/kiln/tuning/a.jsonl", searched("a"));
  write("state/kiln/tuning/notes.txt", "no journal");
  const auto all = Json::parse(ok({"tuned", "export", "--all"}).output)["searches"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["identity"], "a");
  EXPECT_EQ(all[1]["identity"], "b");
}

TEST_F(Tuned, mistakes_are_one_line) {
  write("a.jsonl", searched());
  expect_refusal(kiln({"tuned", "show", "abc"}), 2, "at least 4");
  expect_refusal(kiln({"tuned", "show", "abcd"}), 2, "no tuning record's key begins with abcd");
  expect_refusal(kiln({"tuned", "export", "--format", "t4"}), 2,
                 "requires the JOURNAL of a search");
  expect_refusal(kiln({"tuned", "export", "--format", "sqlite"}), 2, "missing --output");
  expect_refusal(kiln({"tuned", "export", "--format", "kdb", "-o", "x", "a.jsonl"}), 2,
                 "kdb writes the records of the store");
  expect_refusal(kiln({"tuned", "export", "--all", "a.jsonl"}), 2, "found both --all and a.jsonl");
  expect_refusal(kiln({"tuned", "export", "--format", "t4", "a.jsonl", "a.jsonl"}), 2, "found 2");
  set("KILN_STORE", "off");
  expect_refusal(kiln({"tuned", "ls"}), 2, "no local store");
}

}  // namespace
}  // namespace kiln
