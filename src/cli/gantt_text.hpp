#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::cli {

/// Text as it may stand in an element or a quoted attribute of a page: markup characters as
/// entities, blanks for line ends, U+FFFD for control characters and for bytes that are not UTF-8.
std::string escaped(std::string_view text);

/// The text, or its beginning and an ellipsis, in at most `characters`; empty where fewer than
/// three characters would be left to read.
std::string shortened(std::string_view text, std::size_t characters);

/// A duration in three significant digits and the unit that suits it: "1.23 ms", "450 ns", "0".
std::string time_text(std::int64_t ns);

/// A position or length as percentage, for attributes: "12.5%".
std::string percent(double fraction);

}  // namespace kiln::cli
