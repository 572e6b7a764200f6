#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::canonical {

// What the writer and the reader of canonical bytes share; the grammar is in canonical.hpp.
inline constexpr std::string_view magic = "KILN";
inline constexpr std::uint32_t grammar = 1;

enum Type : std::uint8_t { text = 1, integer = 2, bytes = 3, group = 4, number = 5 };

// A field's type, tag length and length, without the tag itself.
inline constexpr std::size_t field_overhead = 1 + 1 + 8;
inline constexpr std::size_t longest_tag = 255;

}  // namespace kiln::canonical
