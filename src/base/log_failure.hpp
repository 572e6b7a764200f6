#pragma once

#include <string_view>

namespace kiln {

/// Within a catch block, where nobody is left to be told: hands the sink of log() one line, `what`
/// and what was thrown. The sink is the user's own: what it throws is lost.
void log_failure(std::string_view what) noexcept;

}  // namespace kiln
