#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kiln/error.hpp"

namespace kiln {

/// A number of bytes for people, in powers of 1000: "912 B", "49.6 kB", "1.24 GB".
std::string byte_count_text(std::uint64_t bytes);

/// "2G", "500 MB", "1.5Gi", "4096": k, M, G and T are powers of 1000, Ki, Mi, Gi and Ti of 1024; a
/// B may follow. Errors: bad_input, with what was found.
Expected<std::uint64_t> parse_byte_count(std::string_view text);

}  // namespace kiln
