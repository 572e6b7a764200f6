#pragma once

#include <string>

#include "cli/timeline_store.hpp"

/// Files of a timeline. Both are written aside and renamed, so that a reader never meets half a
/// file; both throw kiln::Error where the file cannot be written. Not beside Timeline::add().
namespace kiln::cli {

/// Chrome trace JSON for Perfetto: one lane for the host and one a device queue (two where spans
/// overlap), complete events in microseconds since the first one, the details as arguments.
void write_trace(const Timeline& timeline, const std::string& file);

/// A self-contained HTML page with the same spans drawn over a time axis, and the totals of each
/// lane and category. Scripts only add zooming; nothing is fetched from anywhere.
void write_gantt(const Timeline& timeline, const std::string& file);

}  // namespace kiln::cli
