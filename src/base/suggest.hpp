#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kiln {

/// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that a mistyped name most likely meant, or an empty view where none is near:
/// at most a third of the letters may differ and never all, capitals aside. Among equals the first
/// wins.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" for the end of an error message, or "".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace kiln
