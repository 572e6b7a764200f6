#pragma once

#include <filesystem>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Reads what a user names as an input: a regular file, or a pipe (`<(zcat x.gz)`, /dev/stdin) up
/// to its end, of at most `limit` bytes. A larger file is refused before anything is read, so that
/// a sparse one takes no memory. Errors (one line with the path): a folder or a device, too large,
/// absent, not permitted. Thread-safe.
Expected<Bytes> read_input(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace kiln
