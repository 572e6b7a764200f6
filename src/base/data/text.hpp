#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kiln/error.hpp"

/// Texts from elsewhere, and for people: what may stand in a line, bounds on JSON, names that were
/// mistyped, sizes and times.
namespace kiln {

/// A character of a UTF-8 text.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: what stands there is not UTF-8
};
/// The character that starts at a byte of the text, by RFC 3629: no overlong forms, no surrogates.
Character character_at(std::string_view text, std::size_t byte);

bool is_utf8(std::string_view text);

/// A text from elsewhere (a file, a store, a server) as it may stand in a line for people: what a
/// terminal would obey and not show is escaped, as \n, \x1b or \u009b. That is every control
/// character, what turns the direction of writing, and bytes that are no UTF-8.
std::string one_line(std::string_view text);

/// The same, of a long text its begin and "…": no more than `most` bytes and these, and no part of
/// a character.
std::string shortened(std::string_view text, std::size_t most);

/// The same for a text of several lines, such as a build log: its line feeds and tabs stay.
std::string visible_text(std::string_view text);

/// What a JSON text may hold. A value takes some 20 to 150 bytes of memory for each of its text,
/// and values within values take a parser's or a printer's stack.
struct JsonBounds {
  std::size_t values = 4'000'000;
  std::size_t depth = 100;
};

/// Whether a text stays within the bounds, from its brackets, commas and texts alone: said before a
/// parser takes memory and time for it. What is no JSON is the parser's to refuse. Errors:
/// bad_input, with the byte at which a bound is passed.
Expected<void> check_json_bounds(std::string_view text, const JsonBounds& bounds = {});

/// The text with A to Z in lower case. Not <cctype>: what that does hangs on the locale, which is
/// the application's.
inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that a mistyped name most likely meant, or an empty view where none is near:
/// at most a third of the letters may differ and never all, capitals aside. Among equals the first
/// wins.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'x'?" for the end of an error message, or "".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// A number of bytes for people, in powers of 1000: "912 B", "49.6 kB", "1.24 GB".
std::string byte_count_text(std::uint64_t bytes);

/// "2G", "500 MB", "1.5Gi", "4096": k, M, G and T are powers of 1000, Ki, Mi, Gi and Ti of 1024; a
/// B may follow. Errors: bad_input, with what was found.
Expected<std::uint64_t> parse_byte_count(std::string_view text);

/// Nanoseconds for people: "12.3 us", "4.567 ms", "1.234 s".
std::string duration(double ns);

}  // namespace kiln
