#pragma once

#include <string>

#include "tune/report/run.hpp"

namespace kiln::cli {

/// A search as one HTML page that needs nothing outside itself: the best so far, what the
/// parameters matter, the times by each of them, failures by reason, the top ten.
std::string report_page(const tune::TuningRun& run);

}  // namespace kiln::cli
