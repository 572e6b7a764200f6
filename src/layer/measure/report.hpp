#pragma once

#include <cstdint>

#include "layer/measure/statistics.hpp"

// The files of a process: docs/formats/profile.md.
namespace kiln::layer::measure {

/// Names the folder of the files; false: there is none that can be used. `traced`: spans are
/// written, too.
bool open_report(const char* folder, bool traced) noexcept;

/// Writes what is known, from time to time: seldom enough to cost nothing that can be seen.
void report_sometimes() noexcept;
/// Whether the process ends.
enum class End { no, yes };
/// Writes what is known now. Calls no OpenCL.
void report_now(End end) noexcept;

/// Whether spans are written.
bool is_traced() noexcept;
/// Writes down a command's span, by the device's clock; no more than the first `most_spans`.
void trace(int queue, const Series& series, std::int64_t start, std::int64_t end,
           std::uint64_t bytes) noexcept;
/// The same of a span of the host: a build or a wait.
void trace_host(const char* what, std::int64_t start, std::int64_t end) noexcept;

/// Keeps a program's text next to the report, once.
void keep_text(const std::string& identity, const std::string& text) noexcept;

}  // namespace kiln::layer::measure
