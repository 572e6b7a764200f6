#include "cli/command.hpp"
#include "cli/common_options.hpp"

namespace kiln::cli {
namespace {

constexpr Option common[] = {
    {.name = "config",
     .kind = Kind::file,
     .access = Access::update,
     .value_name = "FILE",
     .help = "The config file to read in place of $XDG_CONFIG_HOME/kiln/config, or off for none."},
    {.name = "log",
     .kind = Kind::choice,
     .value_name = "LEVEL",
     .help = "Which messages about the inner workings are printed on standard error.",
     .fallback = "warning",
     .choices = options::log_levels},
};

}  // namespace

std::span<const Option> common_options() { return common; }

const Entry* find_command(std::string_view name) {
  for (const Entry& entry : command_list())
    if (entry.command->name == name) return &entry;
  return nullptr;
}

}  // namespace kiln::cli
