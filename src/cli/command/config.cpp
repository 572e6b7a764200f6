// `kiln config`: every setting with its value and where that came from.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "store/layer/layer.hpp"
#include "store/layer/shared_layer.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln::cli {
namespace {

/// A setting as shown: "devices", or "run.devices" where one command differs from the others.
struct SettingRow {
  std::string name;
  Setting setting;
  std::string why = {};  ///< of a default that depends on the machine
};

// What the library reads and no option sets.
constexpr std::string_view library_variables[] = {
    "KILN_COMPILE_HELPER", "KILN_COMPILE_SERVER", "KILN_EXPLAIN",     "KILN_LAYER",
    "KILN_LAYER_PROFILE",  "KILN_LAYER_REPORT",   "KILN_LAYER_TRACE", "KILN_LAYER_TUNE",
    "KILN_MACHINE_KEY",    "KILN_MESH_PROGRAM",   "KILN_PIN",         "KILN_SIGNING_KEY",
    "KILN_TRUSTED_KEYS",   "KILN_TUNED",          "KILN_TUNE_HELPER"};

/// The store that is used: without a setting a folder of the user's, and one of the machine's own
/// where the folder asked for is on a network file system.
void show_used_store(std::vector<SettingRow>& rows) {
  for (SettingRow& row : rows) {
    if (row.name != options::store.name) continue;
    const StoreLocation location = default_store_location();
    const bool given = !row.setting.values.empty();
    const std::string asked = given ? row.setting.values.front() : location.folder;
    if (asked == "off") return;
    const std::string network = network_file_system(asked);
    if (!given) row.why = "default: " + location.origin;
    if (!network.empty())
      row.why = fmt::format("{}: {} is on {}", given ? row.setting.origin.text() : row.why, asked,
                            network);
    if (!asked.empty()) row.setting.values = {network.empty() ? asked : node_local_folder()};
  }
}

bool same(const Setting& a, const Setting& b) {
  return a.values == b.values && a.origin.text() == b.origin.text();
}

/// What holds for a command that has no section of its own in the file.
std::vector<SettingRow> collect(const ConfigFile& file, const CommandLine& line) {
  std::vector<SettingRow> rows;
  const auto row_of = [&](std::string_view name) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const SettingRow& row) { return row.name == name; });
  };
  ConfigFile general = file;
  std::erase_if(general.lines, [](const ConfigLine& l) { return !l.section.empty(); });
  for (const Command* command : shown_commands())
    for (const Setting& setting : value_or_throw(resolve(*command, line, general)))
      if (row_of(setting.option->name) == rows.end())
        rows.push_back({std::string(setting.option->name), setting});
  for (const Command* command : command_list())
    for (const Setting& setting : value_or_throw(resolve(*command, line, file))) {
      const auto row = row_of(setting.option->name);
      if (row == rows.end() || same(row->setting, setting)) continue;
      rows.push_back({fmt::format("{}.{}", command->name, setting.option->name), setting});
    }
  std::sort(rows.begin(), rows.end(),
            [](const SettingRow& a, const SettingRow& b) { return a.name < b.name; });
  return rows;
}

/// A mistyped variable has no effect, and no other command complains of it.
void warn_of_unknown_variables(const std::vector<SettingRow>& rows) {
  std::vector<std::string> known;
  for (const SettingRow& row : rows) known.push_back(variable_of(*row.setting.option));
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("KILN_")) continue;
    if (std::ranges::find(library_variables, name) != std::end(library_variables)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end())
      complain("warning: unknown setting {} in the environment{}", name, did_you_mean(name, names));
  }
}

/// A value that may be shown to others: a URL without its password.
std::string visible(const Setting& setting, const std::string& value) {
  return setting.option->name == options::shared_store.name ? shown_shared_url(value) : value;
}

nlohmann::ordered_json value_of(const Setting& setting) {
  if (setting.option->repeat == Repeat::yes) return setting.values;
  if (setting.option->kind == Kind::flag)
    return !setting.values.empty() && value_or_throw(to_flag(setting.values.back()));
  if (setting.values.empty()) return nullptr;
  return visible(setting, setting.values.back());
}

nlohmann::ordered_json json_of(const SettingRow& row) {
  const Origin& origin = row.setting.origin;
  nlohmann::ordered_json object{{"name", row.name}, {"value", value_of(row.setting)}};
  const bool is_file = origin.from == Origin::From::file;
  const bool is_variable = origin.from == Origin::From::environment;
  object["from"] = is_file ? "file" : is_variable ? "environment" : origin.text();
  if (is_variable) object["variable"] = origin.name;
  if (is_file) object.update({{"file", origin.name}, {"line", origin.line}});
  if (!row.why.empty()) object["why"] = row.why;
  return object;
}

std::string shown_value(const Setting& setting) {
  if (setting.option->kind == Kind::flag) return value_of(setting) ? "true" : "false";
  if (setting.values.size() == 1) return visible(setting, setting.values.front());
  return setting.values.empty() ? "-" : fmt::format("{}", fmt::join(setting.values, "; "));
}

int show_config(Context& context) {
  // Options given to this command itself say how to print, not what other commands would get;
  // only the choice of the file counts for all.
  CommandLine line;
  if (context.origin("config").from == Origin::From::command_line)
    line.values.emplace("config", context.list("config"));
  std::vector<SettingRow> rows = collect(context.config(), line);
  show_used_store(rows);
  warn_of_unknown_variables(rows);
  if (context.flag("json")) {
    for (const SettingRow& row : rows) print_json(json_of(row));
    return 0;
  }
  Table table({"SETTING", "VALUE", "FROM"});
  for (const SettingRow& row : rows)
    table.row(row.name, shown_value(row.setting),
              row.why.empty() ? row.setting.origin.text() : row.why);
  for (const auto name : library_variables)
    if (const char* value = std::getenv(name.data())) table.row(name, value, "environment");
  print(table.text());
  const ConfigFile& file = context.config();
  if (!file.path.empty()) print("\nConfig file: {}{}\n", file.path, file.found ? "" : " (absent)");
  return 0;
}

}  // namespace

const Command config_command{
    .name = "config",
    .summary = "show every setting and where its value comes from",
    .description =
        "Shows the value of each option of all commands: from the environment, from a line of the "
        "config file, or the default. A setting that one command's section of the file gives is "
        "shown as COMMAND.NAME. Variables that only the library reads come last, where they are "
        "set.",
    .options = {{options::json}},
    .examples = {{"kiln config", "Shows all settings."},
                 {"KILN_DEVICES=gpu kiln config --json", "Shows them for a program to read."}},
    .body = show_config,
};

}  // namespace kiln::cli
