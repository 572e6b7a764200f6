#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

namespace kiln::cli {

/// One `name = value` line of the config file.
struct ConfigLine {
  std::string section;  ///< the sub-command whose section it stands in; empty: for all
  std::string name, value;
  int line = 0;  ///< from 1
};

/// The config file: `name = value` lines; `[sub-command]` starts a section whose values count for
/// that sub-command only and go before the others; `#` starts a comment line. Blanks around names
/// and values do not count.
struct ConfigFile {
  std::string path;    ///< where it is, or would be
  bool found = false;  ///< a file of that name exists
  std::vector<ConfigLine> lines;
};

/// The form only: any name is accepted. Errors begin with "PATH:LINE: ".
Expected<std::vector<ConfigLine>> parse_config(std::string_view text, const std::string& path);

/// Errors for a section that is no sub-command, and a name that is no option (of the section's
/// sub-command, or of any), with the nearest known one.
Expected<void> check_config_names(const ConfigFile& file);

/// Reads a config file and checks its names. `chosen` is the file that the user named, or "off";
/// empty: $XDG_CONFIG_HOME/kiln/config (~/.config/kiln/config), which may be absent.
Expected<ConfigFile> read_config(const std::string& chosen);

}  // namespace kiln::cli
