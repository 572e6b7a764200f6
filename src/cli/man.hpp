#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace kiln::cli {

/// The man page of a sub-command as scdoc text.
std::string man_page(const Command& command);
/// The page kiln(1).
std::string main_man_page();
/// "kiln-run" for "run", "kiln-store-explain" for "store explain".
std::string page_name(const Command& command);

/// Text in which nothing has a meaning for scdoc.
std::string scdoc_text(std::string_view text);

extern const Command man_command;
int write_man_pages(Context& context);

}  // namespace kiln::cli
