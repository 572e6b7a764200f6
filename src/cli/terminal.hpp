#pragma once

#include <string>
#include <string_view>

namespace kiln::cli {

enum class Stream { output = 1, errors = 2 };

/// Whether a person watches this stream: a terminal that can move its cursor.
bool is_terminal(Stream stream);

/// Width in characters: what COLUMNS says, else that of the stream's terminal; 80 where it is none.
int columns(Stream stream);

enum class Style { bold, dim, good, bad };

/// The text with colour codes, or as it is where the stream is no terminal or NO_COLOR is set.
std::string styled(Style style, std::string_view text, Stream stream = Stream::output);

}  // namespace kiln::cli
