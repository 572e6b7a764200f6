#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings.hpp"

namespace kiln::cli {

/// What a sub-command's body gets: its arguments and the value of each of its options. Asking for
/// an option that the sub-command does not define is a defect and throws Errc::internal.
class Context {
 public:
  Context(const Command& command, std::vector<Setting> settings, std::vector<std::string> arguments,
          ConfigFile config);

  const Command& command() const { return *command_; }
  /// The words after the options.
  const std::vector<std::string>& arguments() const { return arguments_; }
  /// The config file that was read.
  const ConfigFile& config() const { return config_; }

  /// Whether the option has a value, be it the default.
  bool has(std::string_view option) const;
  bool flag(std::string_view option) const;
  /// The value, or "" where there is none.
  const std::string& text(std::string_view option) const;
  std::int64_t integer(std::string_view option) const;
  double number(std::string_view option) const;
  /// All values of a repeatable option, in the order given.
  const std::vector<std::string>& list(std::string_view option) const;
  /// The same for NAME=VALUE options, split.
  std::vector<std::pair<std::string, std::string>> assignments(std::string_view option) const;
  /// Where the value came from, for messages.
  const Origin& origin(std::string_view option) const;

 private:
  const Setting& find(std::string_view option) const;
  const std::string& single(std::string_view option) const;

  const Command* command_;
  std::vector<Setting> settings_;
  std::vector<std::string> arguments_;
  ConfigFile config_;
};

}  // namespace kiln::cli
