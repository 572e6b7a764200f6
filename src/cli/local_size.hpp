#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::cli {

/// The value of --local-size: one to three positive numbers with `x` or `,` between them. Throws
/// Error (bad input) for another text; an empty one gives nothing.
std::vector<std::uint32_t> parse_local_size(const std::string& text);

}  // namespace kiln::cli
