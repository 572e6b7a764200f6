#include "cli/command/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/data/text.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "cli/output/output.hpp"

namespace kiln::cli {
namespace {

constexpr std::uint64_t most_config_bytes = 1u << 20;

/// For messages: a line from a file may be long or hold bytes that harm a terminal.
std::string shown_text(std::string_view text) {
  const std::string out = one_line(text.substr(0, 60));
  return text.size() > 60 ? out + "…" : out;
}

std::vector<std::string_view> all_option_names() {
  std::vector<std::string_view> names;
  for (const Command* command : command_list())
    for (const std::string_view name : option_names(*command))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

Expected<void> check_line(const ConfigFile& file, const ConfigLine& line) {
  const Command* command = line.section.empty() ? nullptr : find_command(line.section);
  if (!line.section.empty() && command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command* each : command_list()) names.push_back(each->name);
    return fail(
        Errc::bad_input,
        fmt::format("{}:{}: unknown section [{}], expected the name of a sub-command{}", file.path,
                    line.line, shown_text(line.section), did_you_mean(line.section, names)));
  }
  const auto names = command ? option_names(*command) : all_option_names();
  const bool known = std::find(names.begin(), names.end(), line.name) != names.end();
  // `config` says which file is read, so it cannot stand in one.
  if (line.name.empty() || (known && line.name != "config")) return {};
  return fail(
      Errc::bad_input,
      fmt::format("{}:{}: unknown setting '{}'{}{}", file.path, line.line, shown_text(line.name),
                  command ? " of kiln " + line.section : "", did_you_mean(line.name, names)));
}

std::string default_path() {
  const auto folder = user_folder(UserFolder::config);
  return folder.empty() ? "" : (folder / "config").string();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const auto end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Expected<std::vector<ConfigLine>> parse_config(std::string_view text, const std::string& path) {
  std::vector<ConfigLine> lines;
  std::string section;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto bad = [&](std::string_view expected) {
      return fail(Errc::bad_input, fmt::format("{}:{}: found '{}', expected {}", path, number,
                                               shown_text(line), expected));
    };
    if (line.front() == '[') {
      if (line.back() != ']') return bad("[sub-command]");
      section = trimmed(line.substr(1, line.size() - 2));
      if (section.empty()) return bad("[sub-command]");
      // An entry without a name keeps the section's line for the check of its name.
      lines.push_back({section, "", "", number});
      continue;
    }
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return bad("'name = value'");
    const std::string_view name = trimmed(line.substr(0, equals));
    if (name.empty()) return bad("a name before the =");
    lines.push_back(
        {section, std::string(name), std::string(trimmed(line.substr(equals + 1))), number});
  }
  return lines;
}

Expected<ConfigFile> read_config(const std::string& chosen) {
  ConfigFile file;
  if (chosen == "off") return file;
  file.path = chosen.empty() ? default_path() : chosen;
  if (file.path.empty()) return file;
  const auto text = read_text(file.path, most_config_bytes);
  if (!text) {
    if (chosen.empty() && text.error().code() == Errc::not_found) return file;
    return tl::unexpected(text.error());
  }
  file.found = true;
  auto lines = parse_config(*text, file.path);
  if (!lines) return tl::unexpected(lines.error());
  file.lines = *std::move(lines);
  for (const ConfigLine& line : file.lines)
    if (auto checked = check_line(file, line); !checked) return tl::unexpected(checked.error());
  return file;
}

namespace {

std::optional<Setting> from_environment(const Option& option) {
  const std::string variable = variable_of(option);
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr || *text == 0) return {};  // set to nothing counts as not set
  std::vector<std::string> values{text};
  if (option.repeat == Repeat::yes) {
    values = split(text, ';');
    std::erase(values, "");
  }
  return Setting{&option, std::move(values), {Origin::From::environment, variable, 0}};
}

Expected<std::optional<Setting>> from_section(const Option& option, const ConfigFile& file,
                                              std::string_view section) {
  std::optional<Setting> found;
  for (const ConfigLine& line : file.lines) {
    if (line.section != section || line.name != option.name) continue;
    if (!found) {
      found = Setting{&option, {line.value}, {Origin::From::file, file.path, line.line}};
      continue;
    }
    if (option.repeat == Repeat::no)
      return fail(Errc::bad_input, fmt::format("{}:{}: '{}' is already given on line {}", file.path,
                                               line.line, option.name, found->origin.line));
    found->values.push_back(line.value);
  }
  return found;
}

Expected<Setting> first_given(const Command& command, const Option& option, const CommandLine& line,
                              const ConfigFile& file) {
  if (const auto given = line.values.find(option.name); given != line.values.end())
    return Setting{&option, given->second, {Origin::From::command_line, "", 0}};
  if (auto given = from_environment(option)) return *std::move(given);
  for (const std::string_view section : {command.name, std::string_view()}) {
    auto given = from_section(option, file, section);
    if (!given) return tl::unexpected(given.error());
    if (*given) return **std::move(given);
  }
  Setting setting{&option, {}, {}};
  if (!option.fallback.empty()) setting.values.emplace_back(option.fallback);
  return setting;
}

/// Names the option as it is written at its origin.
Error with_origin(const Command& command, const Setting& setting, const Error& error) {
  const auto& [option, values, origin] = setting;
  switch (origin.from) {
    case Origin::From::file:
      return {error.code(),
              fmt::format("{}: {}: {}", origin.text(), option->name, error.message())};
    case Origin::From::environment:
      return {error.code(), fmt::format("environment: {}: {}", origin.name, error.message())};
    default:
      return {error.code(),
              fmt::format("{}: --{}: {}", command.name, option->name, error.message())};
  }
}

}  // namespace

std::string Origin::text() const {
  switch (from) {
    case From::file:
      return fmt::format("{}:{}", name, line);
    case From::environment:
      return name;
    case From::command_line:
      return "command line";
    case From::fallback:
      break;
  }
  return "default";
}

std::string variable_of(const Option& option) {
  std::string name = "KILN_";
  for (const char c : option.name)
    name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

Expected<std::vector<Setting>> resolve(const Command& command, const CommandLine& line,
                                       const ConfigFile& file) {
  std::vector<Setting> settings;
  for (const Option* option : all_options(command)) {
    auto setting = first_given(command, *option, line, file);
    if (!setting) return tl::unexpected(setting.error());
    for (const std::string& value : setting->values)
      if (auto checked = check_value(*option, value); !checked)
        return tl::unexpected(with_origin(command, *setting, checked.error()));
    settings.push_back(*std::move(setting));
  }
  return settings;
}

Context::Context(const Command& command, std::vector<Setting> settings,
                 std::vector<std::string> arguments, ConfigFile config)
    : command_(&command),
      settings_(std::move(settings)),
      arguments_(std::move(arguments)),
      config_(std::move(config)) {}

const Setting& Context::find(std::string_view option) const {
  for (const Setting& setting : settings_)
    if (setting.option->name == option) return setting;
  throw Error(Errc::internal, fmt::format("kiln {} has no option --{}", command_->name, option));
}

const std::string& Context::text(std::string_view option) const {
  static const std::string none;
  const Setting& setting = find(option);
  return setting.values.empty() ? none : setting.values.back();
}

bool Context::has(std::string_view option) const { return !find(option).values.empty(); }

bool Context::flag(std::string_view option) const {
  return has(option) && value_or_throw(to_flag(text(option)));
}

std::int64_t Context::integer(std::string_view option) const {
  return value_or_throw(to_integer(*find(option).option, text(option)));
}
double Context::number(std::string_view option) const {
  return value_or_throw(to_number(*find(option).option, text(option)));
}
const std::vector<std::string>& Context::list(std::string_view option) const {
  return find(option).values;
}

std::vector<std::filesystem::path> Context::paths(std::string_view option) const {
  return {list(option).begin(), list(option).end()};
}

std::vector<std::pair<std::string, std::string>> Context::assignments(
    std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const std::string& value : find(option).values)
    parts.push_back(value_or_throw(to_assignment(value)));
  return parts;
}

const Origin& Context::origin(std::string_view option) const { return find(option).origin; }

bool Context::is_given(std::string_view option) const {
  return has(option) && origin(option).from != Origin::From::fallback;
}
bool Context::is_typed(std::string_view option) const {
  return has(option) && origin(option).from == Origin::From::command_line;
}
bool Context::defines(std::string_view option) const {
  return find_option(*command_, option) != nullptr;
}

std::vector<std::string> Context::words_of(const Option& option) const {
  std::vector<std::string> words;
  for (const std::string& value : list(option.name))
    words.push_back(option.kind == Kind::flag
                        ? fmt::format("--{}{}", flag(option.name) ? "" : "no-", option.name)
                        : fmt::format("--{}={}", option.name, value));
  return words;
}

const std::string& required_output(const Context& context) {
  if (!context.has("output"))
    throw bad_input("{}: missing --output FILE (-o), the file to write", context.command().name);
  return context.text("output");
}

int tell_failure(const Context& context, const std::string& file, const Error& error) {
  const int code = exit_code(error.code());
  complain_of(file, error.message());
  if (context.flag("json")) print_failure_json(error.message(), name_of(error.code()), code, file);
  return code;
}

}  // namespace kiln::cli
