#pragma once

#include "format/kdb/catalogue.hpp"
#include "kiln/formats/kdb.hpp"

namespace kiln::kdb {

/// A rule that a record breaks.
struct Breach {
  std::string_view rule;
  std::string text;
  Finding::Severity severity = Finding::Severity::error;
};

/// Whether a product of these flags has its work-groups' dimension 0 along x (columns of the
/// result), which clBLAS chooses where neighbouring work-items then read neighbouring elements: A
/// is read by rows and B by columns. Else dimension 0 is along y.
bool x_is_first(std::uint32_t flags);

/// Checks one tuned record of a setting against what its pattern's generator needs, and against the
/// device. Adds to `breaches`. The rules of the vector, block and subgroup schemes are those by
/// which clBLAS's own tuner drops a candidate; the library itself checks none of them. Where one
/// rule makes others meaningless (a size of zero), only that one is named.
void check_record(const Record& record, const KnownPattern& pattern, const SettingKey& setting,
                  Layout layout, const DeviceLimits& device, std::vector<Breach>& breaches);

/// The rules that hold for a pattern that is not known: time, work-group, device.
void check_unknown_record(const Record& record, Layout layout, const DeviceLimits& device,
                          std::vector<Breach>& breaches);

}  // namespace kiln::kdb
