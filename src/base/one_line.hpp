#pragma once

#include <string>
#include <string_view>

namespace kiln {

/// A text from elsewhere (a file, a store, a server) as it may stand in a line for people: what a
/// terminal would obey and not show is escaped, as \n, \x1b or \u009b. That is every control
/// character, what turns the direction of writing, and bytes that are no UTF-8.
std::string one_line(std::string_view text);

/// The same for a text of several lines, such as a build log: its line feeds and tabs stay.
std::string visible_text(std::string_view text);

}  // namespace kiln
