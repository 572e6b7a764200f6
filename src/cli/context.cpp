#include "cli/context.hpp"

#include <fmt/format.h>

#include "cli/values.hpp"

namespace kiln::cli {

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

const std::string& Context::single(std::string_view option) const {
  static const std::string none;
  const Setting& setting = find(option);
  return setting.values.empty() ? none : setting.values.back();
}

bool Context::has(std::string_view option) const { return !find(option).values.empty(); }

bool Context::flag(std::string_view option) const {
  return has(option) && value_or_throw(to_flag(single(option)));
}
const std::string& Context::text(std::string_view option) const { return single(option); }

std::int64_t Context::integer(std::string_view option) const {
  return value_or_throw(to_integer(*find(option).option, single(option)));
}
double Context::number(std::string_view option) const {
  return value_or_throw(to_number(*find(option).option, single(option)));
}
const std::vector<std::string>& Context::list(std::string_view option) const {
  return find(option).values;
}

std::vector<std::pair<std::string, std::string>> Context::assignments(
    std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const std::string& value : find(option).values)
    parts.push_back(value_or_throw(to_assignment(value)));
  return parts;
}

const Origin& Context::origin(std::string_view option) const { return find(option).origin; }

}  // namespace kiln::cli
