#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"

namespace kiln::cli {
namespace {

constexpr std::uint64_t most_config_bytes = 1u << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// For messages: a line from a file may be long or hold bytes that harm a terminal.
std::string shown_text(std::string_view text) {
  const std::string out = one_line(text.substr(0, 60));
  return text.size() > 60 ? out + "…" : out;
}

std::vector<std::string_view> all_option_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : command_list())
    for (const std::string_view name : option_names(*entry.command))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

Expected<void> check_line(const ConfigFile& file, const ConfigLine& line) {
  const Entry* entry = line.section.empty() ? nullptr : find_command(line.section);
  if (!line.section.empty() && entry == nullptr) {
    std::vector<std::string_view> names;
    for (const Entry& each : command_list()) names.push_back(each.command->name);
    return fail(
        Errc::bad_input,
        fmt::format("{}:{}: unknown section [{}], expected the name of a sub-command{}", file.path,
                    line.line, shown_text(line.section), did_you_mean(line.section, names)));
  }
  const auto names = entry ? option_names(*entry->command) : all_option_names();
  const bool known = std::find(names.begin(), names.end(), line.name) != names.end();
  // `config` says which file is read, so it cannot stand in one.
  if (line.name.empty() || (known && line.name != "config")) return {};
  return fail(
      Errc::bad_input,
      fmt::format("{}:{}: unknown setting '{}'{}{}", file.path, line.line, shown_text(line.name),
                  entry ? " of kiln " + line.section : "", did_you_mean(line.name, names)));
}

std::string default_path() {
  const auto folder = user_folder(UserFolder::config);
  return folder.empty() ? "" : (folder / "config").string();
}

}  // namespace

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

Expected<void> check_config_names(const ConfigFile& file) {
  for (const ConfigLine& line : file.lines)
    if (auto checked = check_line(file, line); !checked) return checked;
  return {};
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
  if (auto checked = check_config_names(file); !checked) return tl::unexpected(checked.error());
  return file;
}

}  // namespace kiln::cli
