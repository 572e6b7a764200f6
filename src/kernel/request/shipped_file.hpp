#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/request/device_facts.hpp"
#include "kernel/request/parameters.hpp"
#include "kernel/request/stored_record.hpp"
#include "kiln/error.hpp"

// The files of tuning records that come with Kiln: lines of JSON, the device first.
// docs/formats/shipped-records.md has the layout.
namespace kiln {

/// What was measured of one family and problem class. Every measurement was Kiln's own, and
/// compared with the built-in Parameters.
struct ShippedRecord {
  std::string family;
  std::int64_t version = 0;  ///< of the family's generator when it was measured
  std::string problem_class;
  TuningRecord record;
};

struct ShippedFile {
  DeviceFacts device;
  std::string made;  ///< for people: with what, when and how the records were found
  std::vector<ShippedRecord> records;
};

std::string text_of(const ShippedFile& file);

/// A larger one is none.
inline constexpr std::uint64_t most_shipped_bytes = 4u << 20;

/// What of a store's records can ship, the records being of one device: of each size the
/// measurement that is used there. Those that are no faster than the built-in Parameters go along:
/// they keep records of other devices away. Files and programs of users' own are left out. Each
/// `from` gets the day when the record was written.
std::vector<ShippedRecord> records_to_ship(const std::vector<StoredRecord>& records);

/// Errors: bad_input, in one line: "NAME: line 3: measurement 1: …".
Expected<ShippedFile> read_shipped_file(std::string_view text, std::string_view name);
/// The device alone, from the first line.
Expected<DeviceFacts> read_shipped_device(std::string_view text, std::string_view name);

}  // namespace kiln
