#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "kernel/request/parameters.hpp"

// Measurements as JSON, and back: in exports of records and in the records that come with Kiln.
// docs/formats/tuning.md has the members. What reads throws bad_input, in one line that names the
// member, what was found and what was expected.
namespace kiln {

using RecordJson = nlohmann::ordered_json;

RecordJson json_of(const Parameters& parameters);
RecordJson json_of(const Measurement& measurement);
/// "kiln" or "others": whose kernels were measured.
const char* word_of(Measurement::Of kernels);

Measurement read_measurement(const RecordJson& json);
/// The member `measured`: a list of 1 to TuningRecord::most_measurements.
TuningRecord read_measured(const RecordJson& of);

/// A text of at most 4096 bytes.
std::string read_text_member(const RecordJson& of, const char* name);
/// An integer of 64 bits as a text: as a number many programs would round it.
std::int64_t read_wide_member(const RecordJson& of, const char* name);
std::int64_t read_integer(const RecordJson* found, std::string_view name);
/// Null where there is none.
const RecordJson* member_of(const RecordJson& of, const char* name);

/// `found` null: there is nothing.
[[noreturn]] void refuse_member(const RecordJson* found, std::string_view name,
                                std::string_view expected);

/// JSON on one line; bytes that are no UTF-8 are replaced.
std::string one_line_of(const RecordJson& json);

}  // namespace kiln
