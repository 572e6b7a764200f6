#include <gmock/gmock.h>
#include <sqlite3.h>

#include <map>

#include "base/os/file.hpp"
#include "journal_support.hpp"
#include "test_paths.hpp"
#include "tune/report/run.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace kiln::tune {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TuningRun run_of(const std::string& text) { return read_run(as_bytes(text), "j").value(); }
TuningRun valley_run() { return run_of(journal_of_valley()); }

/// A run whose texts need care wherever they are written.
TuningRun awkward() {
  return run_of(
      head + R"({"id":0,"configuration":{"M":"a,\"b\"\n","F":true,"R":0.1,"X":-3},"seconds":0.5,)"
             R"("at":1.25})"
             "\n"
             R"({"id":1,"configuration":{"M":"c","F":false,"R":2.5,"X":4},"failure":"timeout",)"
             R"("message":"hung, \"there\""})"
             "\n");
}

// What the schema of T4 1.0.0 demands, in words of this test's own.
const Json t4_demands = Json::parse(R"json({
  "type": "object",
  "properties": {
    "schema_version": {"type": "string", "pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"},
    "results": {"type": "array", "items": {
      "type": "object",
      "required": ["configuration", "times", "invalidity", "correctness"],
      "properties": {
        "timestamp": {"type": "string"},
        "configuration": {"type": "object"},
        "objectives": {"type": "array"},
        "times": {"type": "object", "properties": {
          "compilation_time": {"type": "number"}, "runtimes": {"type": "array"},
          "framework": {"type": "number"}, "search_algorithm": {"type": "number"},
          "validation": {"type": "number"}}},
        "invalidity": {"enum":
          ["correct", "compile", "runtime", "timeout", "correctness", "constraints"]},
        "correctness": {"type": "number"},
        "measurements": {"type": "array", "items": {"type": "object", "properties": {
          "name": {"type": "string"}, "value": {"type": ["number", "string", "array"]},
          "unit": {"type": "string"}}}}
      }}}
  },
  "required": ["results"]
})json");

bool is_t4(const std::string& text) {
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(Adapter(t4_demands), schema);
  const Json document = Json::parse(text);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(schema, Adapter(document), nullptr);
}

TEST(T4, is_what_its_schema_demands) {
  EXPECT_TRUE(is_t4(t4_of(valley_run())));
  EXPECT_TRUE(is_t4(t4_of(awkward())));
  EXPECT_FALSE(is_t4(R"({"results":[{"configuration":{}}]})")) << "the schema refuses something";
}

/// A configuration as "A=1 B=2" in the order of the names: the reader keeps no other.
std::string by_name(std::map<std::string, std::string> values) {
  std::string text;
  for (const auto& [name, value] : values) text += name + "=" + value + " ";
  return text;
}
std::string by_name(const TuningRun& run, const Evaluation& one) {
  std::map<std::string, std::string> values;
  for (std::size_t p = 0; p < run.parameters.size(); ++p)
    values[run.parameters[p].name] = run.value(one, p).text();
  return by_name(std::move(values));
}
std::string by_name(const SearchSpace& space, ConfigurationId id) {
  std::map<std::string, std::string> values;
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    values[space.parameters()[p].name] = space.value(id, p).text();
  return by_name(std::move(values));
}

TEST(T4, is_read_back_as_it_was_measured) {
  const auto run = valley_run();
  const auto space = read_measured_space(as_bytes(t4_of(run)), "t4.json").value();
  EXPECT_EQ(space.device, "a device");
  EXPECT_EQ(space.kernel, "a kernel");
  ASSERT_EQ(space.outcomes.size(), run.evaluations.size());
  for (std::size_t i = 0; i < run.evaluations.size(); ++i) {
    const auto& one = run.evaluations[i];
    EXPECT_EQ(by_name(space.space, i), by_name(run, one));
    EXPECT_EQ(space.outcomes[i].ok(), one.outcome.ok());
    EXPECT_DOUBLE_EQ(space.outcomes[i].time, one.outcome.time * 1e3);
    EXPECT_EQ(space.outcomes[i].failure, one.outcome.failure);
  }
}

TEST(T4, keeps_the_kinds_of_values_and_the_reasons_that_it_has_words_for) {
  std::string text = head;
  const std::vector<std::string> reasons{"build", "resources", "launch", "wrong_result", "timeout"};
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text +=
        fmt::format(R"({{"id":{},"configuration":{{"X":{}}},"failure":"{}"}})", i, i, reasons[i]) +
        "\n";
  text += R"({"id":9,"configuration":{"X":9},"seconds":1})"
          "\n";
  const auto space = read_measured_space(as_bytes(t4_of(run_of(text))), "t").value();
  for (std::size_t i = 0; i < reasons.size(); ++i)
    EXPECT_EQ(name_of(space.outcomes[i].failure), reasons[i]);
  const auto kinds = read_measured_space(as_bytes(t4_of(awkward())), "t").value();
  const auto run = awkward();
  EXPECT_EQ(by_name(kinds.space, 0), by_name(run, run.evaluations[0]));
}

TEST(T4, holds_a_configuration_once_as_it_was_measured_last) {
  const auto run = run_of(head + R"({"id":1,"configuration":{"X":1},"seconds":3})"
                                 "\n"
                                 R"({"id":2,"configuration":{"X":2},"seconds":5})"
                                 "\n"
                                 R"({"id":1,"configuration":{"X":1},"seconds":2})"
                                 "\n");
  const auto space = read_measured_space(as_bytes(t4_of(run)), "t").value();
  EXPECT_EQ(space.outcomes.size(), 2u);
  EXPECT_EQ(space.fastest, 2000);
}

TEST(Csv, has_a_line_an_evaluation_with_parameters_as_columns) {
  EXPECT_EQ(csv_of(std::vector{awkward()}).value(),
            "search,device,evaluation,configuration,M,F,R,X,seconds,failure,at,message\r\n"
            "a kernel,a device,1,0,\"a,\"\"b\"\"\n\",True,0.1,-3,0.5,,1.25,\r\n"
            "a kernel,a device,2,1,c,False,2.5,4,,timeout,,\"hung, \"\"there\"\"\"\r\n");
}

TEST(Csv, searches_of_other_parameters_do_not_go_into_one_file) {
  EXPECT_TRUE(csv_of(std::vector{valley_run(), valley_run()}));
  EXPECT_THAT(message_of(csv_of(std::vector{valley_run(), awkward()})),
              HasSubstr("different parameters"));
}

TEST(JsonExport, holds_everything) {
  const auto json = Json::parse(json_of(std::vector{awkward(), valley_run()}));
  ASSERT_EQ(json["searches"].size(), 2u);
  const auto& first = json["searches"][0];
  EXPECT_EQ(first["identity"], "a kernel");
  EXPECT_EQ(first["seed"], 7);
  EXPECT_EQ(first["evaluations"][0]["configuration"]["M"], "a,\"b\"\n");
  EXPECT_EQ(first["evaluations"][0]["at"], 1.25);
  EXPECT_EQ(first["evaluations"][1]["failure"], "timeout");
  EXPECT_EQ(json["searches"][1]["evaluations"].size(), valley_run().evaluations.size());
}

/// A database that an export made, asked as people would: not by the store's careful connection.
class Made {
 public:
  explicit Made(const Expected<Bytes>& bytes)
      : folder_(value_or_throw(TemporaryFolder::create("kiln-sqlite"))) {
    const auto file = folder_.path() / "a.db";
    value_or_throw(write_file(file, bytes.value()));
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle_), SQLITE_OK);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { sqlite3_close(handle_); }

  /// The first column of the first row.
  std::string text(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle_);
    std::string found = "nothing";
    if (sqlite3_step(statement) == SQLITE_ROW)
      found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return found;
  }
  std::int64_t integer(const char* sql) { return std::stoll(text(sql)); }

 private:
  TemporaryFolder folder_;
  sqlite3* handle_ = nullptr;
};

TEST(Sqlite, answers_questions_about_searches) {
  const auto run = valley_run();
  Made made(sqlite_of(std::vector{run, awkward()}));
  EXPECT_EQ(made.integer("SELECT count(*) FROM searches"), 2);
  EXPECT_EQ(made.integer("SELECT count(*) FROM evaluations WHERE search = 1"),
            static_cast<std::int64_t>(run.evaluations.size()));
  EXPECT_EQ(made.text("SELECT text FROM ranking WHERE search = 1 AND rank = 1"),
            run.text(*run.ranked().front()));
  EXPECT_EQ(made.integer("SELECT sum(failure = 'launch') FROM evaluations WHERE search = 1"),
            static_cast<std::int64_t>(run.reasons().at(0).count));
  EXPECT_EQ(made.integer("SELECT count(DISTINCT value) FROM settings WHERE search = 1 AND "
                         "name = 'V'"),
            3);
  EXPECT_EQ(made.text("SELECT value FROM settings WHERE search = 2 AND evaluation = 1 AND "
                      "name = 'M'"),
            "a,\"b\"\n");
  EXPECT_EQ(made.text("SELECT group_concat(typeof(value)) FROM settings WHERE search = 2 AND "
                      "evaluation = 2"),
            "integer,text,real,integer");
  EXPECT_EQ(made.text("PRAGMA foreign_key_check"), "nothing");
  EXPECT_EQ(made.text("PRAGMA integrity_check"), "ok");
}

TEST(Sqlite, says_on_what_was_measured_and_why_what_failed) {
  Made made(sqlite_of(std::vector{valley_run(), awkward()}));
  EXPECT_EQ(made.text("SELECT device || ' of ' || platform FROM environments WHERE search = 1"),
            "a device of p");
  EXPECT_EQ(made.integer("SELECT address_bits + compute_units FROM environments WHERE search = 1"),
            72);
  EXPECT_EQ(made.text("SELECT failure || ': ' || message FROM failures WHERE search = 2"),
            "timeout: hung, \"there\"");
  auto elsewhere = awkward();
  elsewhere.device = "what another program wrote";
  Made other(sqlite_of(std::vector{elsewhere}));
  EXPECT_EQ(other.integer("SELECT count(*) FROM environments WHERE platform IS NULL"), 1);
}

/// The blocks of SQL in the formats' page.
std::vector<std::string> documented_queries() {
  const auto page =
      value_or_throw(read_text(std::filesystem::path(KILN_SOURCE_DIR) / "docs/formats/tuning.md"));
  std::vector<std::string> queries;
  const std::string fence = "```sql\n";
  for (auto at = page.find(fence); at != page.npos; at = page.find(fence, at + 1)) {
    const auto begin = at + fence.size();
    queries.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return queries;
}

TEST(Sqlite, answers_the_queries_of_its_documentation) {
  const auto queries = documented_queries();
  ASSERT_EQ(queries.size(), 3u);
  auto run = valley_run();
  run.winner = RunWinner{{run.evaluations.front().id, 1e-3, 2e-3, Decision::play_off, 8, {}},
                         run.evaluations.front().positions,
                         run.evaluations.size()};
  Made made(sqlite_of(std::vector{run, awkward()}));
  for (const auto& query : queries) EXPECT_NE(made.text(query.c_str()), "nothing") << query;
  EXPECT_EQ(made.text("SELECT text FROM winners WHERE search = 1"),
            run.text(run.evaluations.front()));
  EXPECT_EQ(made.text(queries[0].c_str()), "a kernel");
}

std::vector<StoredRecord> some_records() {
  StoredRecord one;
  one.subject = {"blas.gemm", -3276752929763547474, "gemm float", "p|1|a device|2|3|64|8 units"};
  one.record.history = {
      {{{"rows", 4}, {"columns", -8}},
       128,
       0.25,
       kiln::Measurement::Of::kiln,
       "kiln tune",
       {},
       0.75},
      {{{"rows", 2}}, 0, 0, kiln::Measurement::Of::others, "a, b\n\"c\"", {{"x", 1}}}};
  one.created = 1'000'000;
  StoredRecord two = one;
  two.subject.problem_class = "gemm double";
  two.record.history.resize(1);
  return {one, two};
}

TEST(RecordExport, json_comes_back_as_it_was) {
  const auto records = some_records();
  const auto again = read_records(as_bytes(json_of(records)), "r.json").value();
  ASSERT_EQ(again.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].subject, records[i].subject);
    EXPECT_EQ(again[i].record.history, records[i].record.history);
  }
  EXPECT_EQ(Json::parse(json_line_of(records[0]))["created"], 1'000'000);
}

TEST(RecordExport, csv_and_sqlite_hold_every_measurement) {
  const auto csv = csv_of(some_records());
  EXPECT_THAT(csv,
              HasSubstr("\r\nblas.gemm,-3276752929763547474,gemm float,128,0.25,"
                        "columns=-8 rows=4,kiln,kiln tune,p|1|a device|2|3|64|8 units,0.75\r\n"));
  EXPECT_THAT(csv, HasSubstr(",0,,rows=2,others,\"a, b\n\"\"c\"\"\","));
  Made made(sqlite_of(some_records()));
  EXPECT_EQ(made.integer("SELECT count(*) FROM measurements"), 3);
  EXPECT_EQ(made.text("SELECT family FROM records JOIN measurements USING (record) WHERE "
                      "milliseconds IS NULL"),
            "blas.gemm");
  EXPECT_EQ(made.integer("SELECT min(value) FROM settings WHERE name = 'columns'"), -8);
}

TEST(RecordExport, numbers_beyond_all_doubles_are_refused) {
  const auto refused = read_records(as_bytes("{\"kiln tuning records\": 1e999}"), "r");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("beyond"));
}

TEST(RecordExport, what_is_none_is_refused_with_its_place) {
  const auto good = Json::parse(json_of(some_records()));
  const auto with = [&](const std::string& pointer, const Json& value) {
    Json changed = good;
    changed[Json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  const std::string first = "/records/0/", second = "/records/1/measured/0/";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "r.json: byte 1: no JSON"},
           {"{} x", "byte 4: no JSON"},
           {"[]", "found no 'kiln tuning records'"},
           {with("/kiln tuning records", 2), "of version 1"},
           {with("/records", 1), "with a list of records"},
           {with("/records/0", 1), "record 1: it: found '1', expected an object"},
           {with(first + "family", ""), "record 1: family: found '\"\"', expected a name"},
           {with(first + "family", std::string(5000, 'x')), "at most 4096 bytes"},
           {with(first + "version", "12x"), "record 1: version: "},
           {with(first + "version", 12), "record 1: version: found '12', expected a text"},
           {with(first + "device", "a device"), "record 1: device: found '\"a device\"'"},
           {with(first + "measured", Json::array()), "record 1: measured: found '[]'"},
           {with(first + "measured", Json(std::vector<int>(129, 1))), "1 to 128 measurements"},
           {with(second + "parameters", Json::object()), "record 2: measurement 1: parameters: "},
           {with(second + "parameters/rows", 1.5), "rows: found '1.5', expected an integer"},
           {with(second + "parameters/rows", 18446744073709551615u), "expected an integer"},
           {with(second + "size", -1), "size: found '-1', expected 0 or more"},
           {with(second + "milliseconds", -1), "milliseconds: found '-1', expected a time above 0"},
           {with(second + "milliseconds", "1"), "expected a time above 0"},
           {with(second + "kernels", "mine"), "kernels: found '\"mine\"', expected kiln or others"},
           {with(second + "from", 1), "from: found '1', expected a text"}}) {
    const auto read = read_records(as_bytes(text), "r.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), Errc::bad_input);
    EXPECT_THAT(read.error().message(), HasSubstr(part));
    EXPECT_EQ(read.error().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace kiln::tune
