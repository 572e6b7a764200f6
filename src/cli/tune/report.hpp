#pragma once

#include <optional>
#include <string>

#include "tune/report/importance.hpp"
#include "tune/report/run.hpp"

/// A search as one HTML page that needs nothing outside itself, no script either.
namespace kiln::cli {

/// The page: the best so far, what the parameters matter, the times by each of them, failures by
/// reason, the top ten.
std::string report_page(const tune::TuningRun& run);

// The drawings of the page (report_charts.cpp), each a section of HTML. All take a run with at
// least one time.

/// Every time and the best so far, by evaluation, or by time where the journal says when.
std::string evaluations_chart(const tune::TuningRun& run);
std::string elapsed_chart(const tune::TuningRun& run);
/// A drawing for each parameter with more than one value: its values and the times with them.
std::string parameter_charts(const tune::TuningRun& run,
                             const std::optional<tune::Importance>& importance);

}  // namespace kiln::cli
