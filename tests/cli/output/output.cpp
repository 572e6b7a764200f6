#include "cli/output/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/log.hpp"
#include "cli/command/command.hpp"
#include "cli/command_process.hpp"

namespace kiln::cli {
namespace {

std::string printed(std::string_view level) {
  ::testing::internal::CaptureStderr();
  print_log(level);
  log(LogLevel::debug, "d");
  log(LogLevel::info, "i");
  log(LogLevel::warning, "w");
  set_log_sink({});
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogSink, prints_messages_of_at_least_the_level) {
  EXPECT_EQ(printed("debug"), "kiln: debug: d\nkiln: info: i\nkiln: warning: w\n");
  EXPECT_EQ(printed("info"), "kiln: info: i\nkiln: warning: w\n");
  EXPECT_EQ(printed("warning"), "kiln: warning: w\n");
  EXPECT_EQ(printed("off"), "");
}

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words words_of(std::string_view name) {
  std::istringstream text{std::string(name)};
  Words words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

class JsonFailures : public kiln::testing::CommandTest {
 protected:
  /// The last line of standard output, which must be a failure as every command tells it, with the
  /// text that stands on standard error.
  static void expect_failure(const ProcessResult& result, const std::string& command) {
    SCOPED_TRACE(command + "\nstdout: " + result.output + "\nstderr: " + result.errors);
    EXPECT_NE(result.exit_code, 0);
    std::string line, last;
    for (std::istringstream lines(result.output); std::getline(lines, line);) {
      EXPECT_TRUE(Json::accept(line)) << line;
      last = line;
    }
    const Json object = Json::parse(last, nullptr, false);
    ASSERT_TRUE(object.is_object());
    ASSERT_TRUE(object.contains("error") && object.contains("kind") &&
                object.contains("exit_code"));
    EXPECT_EQ(object["exit_code"], result.exit_code);
    EXPECT_FALSE(object["kind"].get<std::string>().empty());
    EXPECT_THAT(result.errors, ::testing::HasSubstr(object["error"].get<std::string>()));
  }
};

TEST_F(JsonFailures, every_command_tells_a_failure_as_json) {
  for (const Command* each : command_list()) {
    const Command& command = *each;
    Words words = words_of(command.name);
    const bool prints_json = find_option(command, "json") != nullptr;
    words.push_back("--json");
    words.insert(words.end(), {"--config", "absent.conf"});
    for (std::size_t i = 0; i < command.positional.least; ++i) words.push_back("word");
    const auto result = kiln(words);
    expect_failure(result, std::string(command.name));
    EXPECT_THAT(result.errors,
                ::testing::HasSubstr(prints_json ? "absent.conf" : "unknown option --json"))
        << command.name;
  }
}

TEST_F(JsonFailures, of_the_work_itself_are_told_too) {
  write("text.txt", "this is a text\n");
  write("bad.json", "{\"name\": 1}");
  const std::vector<Words> table{{"verify", "absent.json"},
                                 {"verify", "bad.json", "--devices", "cpu"},
                                 {"devices", "extra"},
                                 {"kdb", "info", "text.txt"},
                                 {"kdb", "diff", "text.txt", "absent.kdb"},
                                 {"kdb", "dump", "absent.kdb"},
                                 {"kdb", "verify", "absent.kdb"},
                                 {"poclbin", "info", "text.txt"},
                                 {"poclbin", "diff", "text.txt", "text.txt"},
                                 {"poclbin", "verify", "absent.poclbin"},
                                 {"store", "ls", "--store", "off"},
                                 {"store", "show", "ffff", "--store", "fresh"},
                                 {"store", "export", "all.kiln", "--store", "fresh"},
                                 {"store", "import", "text.txt", "--store", "fresh"},
                                 {"store", "verify-pack", "text.txt"},
                                 {"store", "sign", "text.txt"},
                                 {"store", "key", "text.txt"},
                                 {"store", "push"},
                                 {"blas", "explain", "nogemm"},
                                 {"tune", "absent.json"},
                                 {"tuned", "show", "ffff", "--store", "fresh"},
                                 {"prebuild"},
                                 {"prebuild", "--from", "text.txt"},
                                 {"mesh", "info", "absent.h5"},
                                 {"stor", "ls"},
                                 {"mesh", "foo"},
                                 {"--hlep"},
                                 {}};
  for (Words words : table) {
    words.push_back("--json");
    std::string line;
    for (const auto& word : words) line += word + " ";
    expect_failure(kiln(words), line);
  }
}

TEST_F(JsonFailures, one_of_several_is_named) {
  write("text.txt", "this is a text\n");
  const auto result = kiln({"store", "verify-pack", "--json", "text.txt", "absent.kiln"});
  std::istringstream lines(result.output);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(Json::parse(first)["file"], "text.txt");
  EXPECT_EQ(Json::parse(first)["kind"], "bad_input");
  EXPECT_EQ(Json::parse(second)["file"], "absent.kiln");
  EXPECT_EQ(Json::parse(second)["kind"], "not_found");
}

TEST_F(JsonFailures, the_environment_asks_for_them_too) {
  set("KILN_JSON", "1");
  expect_failure(kiln({"store", "verify-pack", "absent.kiln"}), "KILN_JSON=1");
  EXPECT_EQ(kiln({"store", "verify-pack", "--no-json", "absent.kiln"}).output, "");
}

TEST_F(JsonFailures, nothing_is_printed_without_json) {
  kiln::testing::expect_refusal(kiln({"store", "verify-pack", "absent.kiln"}), 2, "absent.kiln");
  // Behind -- it is an argument.
  kiln::testing::expect_refusal(kiln({"store", "verify-pack", "--", "--json"}), 2, "--json");
}

}  // namespace
}  // namespace kiln::cli
