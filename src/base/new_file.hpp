#pragma once

#include <filesystem>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Writes a file that must not be there yet, not even as a link that leads nowhere: what another
/// process puts there meanwhile stays as it is. A failure leaves no file. Errors: bad_input where
/// something has the name, not_found, io.
Expected<void> write_new_file(const std::filesystem::path& path, ByteView bytes,
                              unsigned mode = 0644);

}  // namespace kiln
