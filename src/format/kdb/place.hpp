#pragma once

#include "format/kdb/form.hpp"

namespace kiln::kdb {

/// Calls visit(place, record) for each pattern, setting and record in the order of the file; the
/// record is null at patterns and settings.
template <class Visit>
void walk(const Database& database, Visit visit) {
  const Form& form = form_of(database.layout);
  Place place;
  std::uint64_t at = header_bytes;
  const Record* const none = nullptr;
  for (const Pattern& pattern : database.patterns) {
    place = {at, place.pattern + 1, -1, -1};
    visit(std::as_const(place), none);
    at += header_bytes_of(pattern);
    for (const Setting& setting : pattern.settings) {
      place = {at, place.pattern, place.setting + 1, -1};
      visit(std::as_const(place), none);
      at += setting_bytes;
      for (const Record& record : setting.records) {
        place.offset = at;
        ++place.record;
        visit(std::as_const(place), &record);
        at += form.record_bytes;
      }
    }
  }
}

/// A pattern's name as people may see it: a file's control bytes must not reach their terminal.
std::string shown_name(const Pattern& pattern);

/// "float TRANS_A+COLUMN_MAJOR".
std::string describe(const Setting& setting, Layout layout);

}  // namespace kiln::kdb
