#pragma once

#include <string>
#include <string_view>

#include "tune/report/importance.hpp"

/// The parts of a report's page, each a section of HTML. All of them take a run with a time.
namespace kiln::cli {

extern const std::string_view report_style;

/// Every time and the best so far, by evaluation, or by time where the journal says when.
std::string evaluations_chart(const tune::TuningRun& run);
std::string elapsed_chart(const tune::TuningRun& run);
/// A drawing for each parameter with more than one value: its values and the times with them.
std::string parameter_charts(const tune::TuningRun& run,
                             const std::optional<tune::Importance>& importance);
std::string importance_section(const tune::TuningRun& run,
                               const std::optional<tune::Importance>& importance);
std::string failures_section(const tune::TuningRun& run);
/// How the winner was found; empty of a search that has not ended.
std::string play_off_section(const tune::TuningRun& run);
std::string top_section(const tune::TuningRun& run);

}  // namespace kiln::cli
