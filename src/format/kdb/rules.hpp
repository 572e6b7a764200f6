#pragma once

#include "format/kdb.hpp"
#include "format/kdb/catalogue.hpp"

namespace kiln::kdb {

/// A rule that a record breaks.
struct Breach {
  std::string_view rule;
  std::string text;
};

/// Checks one tuned record against what its pattern's generator needs, and against the device.
/// Adds to `breaches`. The rules of the vector, block and subgroup schemes are those by which
/// clBLAS's own tuner drops a candidate; the library itself checks none of them. Where one rule
/// makes others meaningless (a size of zero), only that one is named.
void check_record(const Record& record, const KnownPattern& pattern, std::uint32_t type,
                  Layout layout, const DeviceLimits& device, std::vector<Breach>& breaches);

/// The rules that hold for a pattern that is not known: time, work-group, device.
void check_unknown_record(const Record& record, Layout layout, const DeviceLimits& device,
                          std::vector<Breach>& breaches);

}  // namespace kiln::kdb
