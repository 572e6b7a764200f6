#pragma once

#include <string>
#include <string_view>

/// Texts and numbers as they stand in a page.
namespace kiln::cli::profile {

/// A text from elsewhere as a page may hold it, in elements and in quoted attributes.
std::string as_markup(std::string_view text);

/// Three digits and the prefix that suits: "1.23 G"; the unit follows. "0 " for 0.
std::string with_prefix(double value);

/// Nanoseconds: "12.3 µs".
std::string time_markup(double ns);

/// "37.1 %".
std::string percent(double share);

}  // namespace kiln::cli::profile
