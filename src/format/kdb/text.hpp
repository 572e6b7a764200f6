#pragma once

#include <string>

#include "format/kdb.hpp"

namespace kiln::kdb {

/// A record in one line; two records have the same line exactly if they are equal. Untuned records
/// with nothing in them are "untuned".
std::string to_line(const Record& record, Layout layout);

}  // namespace kiln::kdb
