#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class Config : public kiln::testing::CommandTest {
 protected:
  /// All settings as `kiln config --json` shows them, by name.
  std::map<std::string, Json> shown(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"config", "--json"});
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    std::map<std::string, Json> settings;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      Json object = Json::parse(line);
      settings[object["name"]] = object;
    }
    return settings;
  }
};

TEST_F(Config, defaults_where_nothing_is_given) {
  const auto settings = shown();
  EXPECT_EQ(settings.at("dialect"),
            Json::parse(R"({"name": "dialect", "value": "auto", "from": "default"})"));
  EXPECT_EQ(settings.at("json"),
            Json::parse(R"({"name": "json", "value": false, "from": "default"})"));
  EXPECT_EQ(settings.at("set"), Json::parse(R"({"name": "set", "value": [], "from": "default"})"));
  EXPECT_EQ(settings.at("config")["value"], nullptr);
}

TEST_F(Config, file_goes_before_default_and_environment_before_file) {
  const auto path =
      write(".config/kiln/config", "# mine\ndialect = concurrent\nlog = info\n").string();
  set("KILN_LOG", "debug");
  const auto settings = shown();
  EXPECT_EQ(settings.at("dialect"), (Json{{"name", "dialect"},
                                          {"value", "concurrent"},
                                          {"from", "file"},
                                          {"file", path},
                                          {"line", 2}}));
  EXPECT_EQ(
      settings.at("log"),
      (Json{
          {"name", "log"}, {"value", "debug"}, {"from", "environment"}, {"variable", "KILN_LOG"}}));
}

TEST_F(Config, command_line_goes_before_all) {
  write(".config/kiln/config", "dialect = nonsense\n");
  set("KILN_DIALECT", "nonsense");
  write("x.json", "{}");
  // The values that do not count are not looked at.
  EXPECT_THAT(kiln({"check", "--dialect", "base", "x.json"}).errors, Not(HasSubstr("nonsense")));
}

TEST_F(Config, xdg_config_home_counts_where_it_is_absolute) {
  write("xdg/kiln/config", "dialect = base\n");
  write("relative/kiln/config", "dialect = concurrent\n");
  set("XDG_CONFIG_HOME", (folder() / "xdg").string());
  EXPECT_EQ(shown().at("dialect")["value"], "base");
  set("XDG_CONFIG_HOME", "relative");
  EXPECT_EQ(shown().at("dialect")["value"], "auto");
}

TEST_F(Config, another_file_or_none_may_be_named) {
  write(".config/kiln/config", "dialect = base\n");
  write("other", "dialect = concurrent\n");
  EXPECT_EQ(shown({"--config", "other"}).at("dialect")["value"], "concurrent");
  EXPECT_EQ(shown({"--config", "other"}).at("config")["from"], "command line");
  EXPECT_EQ(shown({"--config", "off"}).at("dialect")["value"], "auto");
  set("KILN_CONFIG", "other");
  EXPECT_EQ(shown().at("dialect")["value"], "concurrent");
  EXPECT_EQ(shown({"--config", "off"}).at("dialect")["value"], "auto");
  expect_refusal(kiln({"config", "--config", "absent"}), 2, "cannot open absent");
  expect_refusal(kiln({"config", "--config", "."}), 2, ". is a folder; a file was expected");
}

TEST_F(Config, a_section_counts_for_its_command_only) {
  write(".config/kiln/config",
        "dialect = base\n[check]\ndialect = concurrent\n[config]\njson = yes\n");
  const auto settings = shown();
  EXPECT_EQ(settings.at("dialect")["value"], "base");
  EXPECT_EQ(settings.at("check.dialect")["value"], "concurrent");
  EXPECT_EQ(settings.at("check.dialect")["line"], 3);
  EXPECT_EQ(settings.at("json")["value"], false);
  EXPECT_EQ(settings.at("config.json")["value"], true);
  EXPECT_THAT(kiln({"config"}).output, ::testing::StartsWith("{")) << "json = yes in [config]";
}

TEST_F(Config, environment_lists_are_separated_by_semicolons) {
  set("KILN_SET", "a=1;b=f(2,3);");
  EXPECT_EQ(shown().at("set")["value"], (Json{"a=1", "b=f(2,3)"}));
}

TEST_F(Config, a_variable_set_to_nothing_counts_as_not_set) {
  set("KILN_DIALECT", "");
  EXPECT_EQ(shown().at("dialect")["from"], "default");
}

TEST_F(Config, unknown_names_are_errors_with_their_place) {
  const auto path = write(".config/kiln/config", "log = info\ndialct = base\n").string();
  expect_refusal(kiln({"config"}), 2,
                 path + ":2: unknown setting 'dialct'; did you mean 'dialect'?");
  write(".config/kiln/config", "[chek]\njson = yes\n");
  expect_refusal(
      kiln({"config"}), 2,
      path +
          ":1: unknown section [chek], expected the name of a sub-command; did you mean 'check'?");
  write(".config/kiln/config", "[config]\ndialect = base\n");
  expect_refusal(kiln({"config"}), 2, path + ":2: unknown setting 'dialect' of kiln config");
  write(".config/kiln/config", "config = other\n");
  expect_refusal(kiln({"config"}), 2, path + ":1: unknown setting 'config'");
}

TEST_F(Config, bad_values_are_errors_with_their_place) {
  const auto path = write(".config/kiln/config", "json = perhaps\n").string();
  expect_refusal(kiln({"config"}), 2, path + ":1: json: found 'perhaps', expected true or false");
  write(".config/kiln/config", "log = info\nlog = debug\n");
  expect_refusal(kiln({"config"}), 2, path + ":2: 'log' is already given on line 1");
  write(".config/kiln/config", "log info\n");
  expect_refusal(kiln({"config"}), 2, path + ":1: found 'log info', expected 'name = value'");
}

TEST_F(Config, mistyped_variables_are_pointed_out) {
  set("KILN_DIALCT", "base");
  const auto result = kiln({"config"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors,
              HasSubstr("kiln: warning: unknown setting KILN_DIALCT in the environment; did you "
                        "mean 'KILN_DIALECT'?\n"));
}

TEST_F(Config, the_table_shows_value_and_origin) {
  const auto path = write(".config/kiln/config", "dialect = base\n").string();
  const auto result = kiln({"config"});
  EXPECT_THAT(result.output, ::testing::ContainsRegex("SETTING +VALUE +FROM\n"));
  EXPECT_THAT(result.output, ::testing::ContainsRegex("\ndialect +base +" + path + ":1\n"));
  EXPECT_THAT(result.output, HasSubstr("\nConfig file: " + path + "\n"));
}

TEST_F(Config, the_store_that_is_used_and_why) {
  set("XDG_CACHE_HOME", "");
  const auto store = shown().at("store");
  EXPECT_EQ(store["value"], (folder() / ".cache" / "kiln").string());
  EXPECT_EQ(store["why"], "default: HOME");
  set("KILN_STORE", (folder() / "mine").string());
  EXPECT_EQ(shown().at("store")["value"], (folder() / "mine").string());
  EXPECT_FALSE(shown().at("store").contains("why"));
  set("KILN_STORE", "off");
  EXPECT_EQ(shown().at("store")["value"], "off");
}

TEST_F(Config, variables_that_only_the_library_reads_are_shown_and_no_mistake) {
  set("KILN_TRUSTED_KEYS", "/etc/keys");
  const auto result = kiln({"config"});
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output,
              ::testing::ContainsRegex("\nKILN_TRUSTED_KEYS +/etc/keys +environment\n"));
}

}  // namespace
