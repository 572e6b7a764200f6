#pragma once

#include <functional>
#include <string>

#include "kiln/error.hpp"

namespace kiln {

/// Renames a damaged database (and what lies beside it: journal, write-ahead files) to
/// DATABASE.damaged-N, the first N of 1 to 9 that is free (the ninth is overwritten). Returns the
/// new file name without its folder.
///
/// Several processes may come to this at once: under a lock, `still_ours` is asked whether the path
/// names the very file that was found damaged; if not, another process was faster, nothing is done
/// and the name is empty.
Expected<std::string> set_aside(const std::string& database,
                                const std::function<bool()>& still_ours);

}  // namespace kiln
