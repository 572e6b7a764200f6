#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tune/report/run.hpp"

namespace kiln::cli {

/// Reads a search's journal. Throws Error.
tune::TuningRun read_journal(const std::filesystem::path& path);

/// A search as one HTML page that needs nothing outside itself, no script either: the best so far,
/// what the parameters matter, the times by each of them, failures by reason, the top ten.
std::string report_page(const tune::TuningRun& run);

/// Writes the page of a journal. Throws Error.
void write_report(const std::filesystem::path& journal, const std::filesystem::path& page);

}  // namespace kiln::cli
