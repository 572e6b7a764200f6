#include "cli/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "cli/values.hpp"

namespace kiln::cli {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<Setting> from_environment(const Option& option) {
  const std::string variable = variable_of(option);
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr || *text == 0) return {};  // set to nothing counts as not set
  std::vector<std::string> values{text};
  if (option.repeat == Repeat::yes) values = split(text, ';');
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
  for (const auto options : {command.options, common_options()}) {
    for (const Option& option : options) {
      auto setting = first_given(command, option, line, file);
      if (!setting) return tl::unexpected(setting.error());
      for (const std::string& value : setting->values)
        if (auto checked = check_value(option, value); !checked)
          return tl::unexpected(with_origin(command, *setting, checked.error()));
      settings.push_back(*std::move(setting));
    }
  }
  return settings;
}

}  // namespace kiln::cli
