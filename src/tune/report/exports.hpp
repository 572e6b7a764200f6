#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/request/stored_record.hpp"
#include "tune/report/run.hpp"

/// Searches and records for other programs. docs/formats/tuning.md describes each format.
namespace kiln::tune {

/// A search as a results file of the autotuning community (T4, version 1.0.0): what
/// read_measured_space() reads. Repeated measurements of a configuration are left out, but the
/// last.
std::string t4_of(const TuningRun& run);

/// A line for each evaluation, with a heading; RFC 4180. Parameters are columns: the runs must have
/// the same, else bad_input.
Expected<std::string> csv_of(const std::vector<TuningRun>& runs);

/// One object with all that the journals say.
std::string json_of(const std::vector<TuningRun>& runs);

/// The bytes of a SQLite database. Errors: io.
Expected<Bytes> sqlite_of(const std::vector<TuningRun>& runs);

// The same of what a store has on record.
std::string csv_of(const std::vector<StoredRecord>& records);
Expected<Bytes> sqlite_of(const std::vector<StoredRecord>& records);

/// One object; read_records() reads it.
std::string json_of(const std::vector<StoredRecord>& records);
/// One record as an object on one line.
std::string json_line_of(const StoredRecord& record);

/// What json_of() wrote, here or on another machine: subjects and what was measured, nothing else.
/// Errors are one line: "NAME: record 2: measurement 1: …".
Expected<std::vector<StoredRecord>> read_records(ByteView json, std::string_view name);

}  // namespace kiln::tune
