#include <fmt/format.h>

#include <algorithm>

#include "format/kdb/form.hpp"
#include "format/kdb/place.hpp"

namespace kiln::kdb {
namespace {

/// Writes into bytes of the right size; positions are never checked again.
// The size is known beforehand (size_without_binaries), so that no write has to grow anything.
class Writer {
 public:
  Writer(const Form& form, std::byte* at) : form_(form), at_(at) {}

  void header(const Database& database) {
    const std::byte* start = at_;
    put(as_bytes("CBS"));
    put(bytes_of(form_.version));
    put(bytes_of(database.functions));
    put(bytes_of(database.binary_start));
    sum(start, form_.header_sum);
  }
  void pattern(const Pattern& pattern) {
    const std::byte* start = at_;
    const std::size_t length = pattern.name.size() + (pattern.terminated ? 1 : 0);
    number(length);
    put(as_bytes(pattern.name));
    if (pattern.terminated) put(bytes_of('\0'));
    number(pattern.settings.size());
    sum(start, form_.pattern_sum);
  }
  void setting(const Setting& setting) {
    const std::byte* start = at_;
    number(setting.type + form_.first_type);
    number(setting.flags);
    number(setting.records.size());
    sum(start, form_.setting_sum);
  }
  void record(const Record& record) {
    const std::byte* start = at_;
    form_.write(record, at_);
    at_ += form_.record_bytes - sum_bytes;
    sum(start, form_.record_sum);
  }
  void put(ByteView bytes) {
    if (bytes.empty()) return;
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

 private:
  // Counts beyond 32 bits would take more memory than a model can have.
  void number(std::size_t value) { put(bytes_of(static_cast<std::uint32_t>(value))); }
  void sum(const std::byte* start, std::uint32_t (*of)(ByteView)) {
    put(bytes_of(of({start, static_cast<std::size_t>(at_ - start)})));
  }

  const Form& form_;
  std::byte* at_;
};

/// What the layout cannot hold of a record, or null.
const char* excess(const Record& record, const Form& form) {
  for (const Dimensions& level : record.levels)
    if (std::max({level.x, level.y, level.item_x, level.item_y, level.bwidth}) > form.most)
      return "a size above 2^32-1";
  for (const auto offset : record.offsets)
    if (offset > form.most_offset) return "a kernel offset above 2^32-1";
  return nullptr;
}

/// Everything that the grammar cannot say; what is left out here is a number that always fits.
// Checked in one walk before the first byte is written: a writer that fails in the middle would
// need an error path at every field.
Expected<void> check(const Database& database, const Form& form) {
  const auto refuse = [&](const Place& place, std::string_view what) {
    return fail(Errc::unsupported,
                fmt::format("{}: {} has no place in layout {}", describe(database, place), what,
                            name_of(form.layout)));
  };
  if (database.patterns.size() > most_patterns) return refuse({}, "more than 400 patterns");
  if (!form.holds_binaries && !database.binaries.empty()) return refuse({}, "a kernel binary");
  // Without a record's excess every value is written as it is; the walk finds the first one.
  std::optional<Place> found;
  const char* what = nullptr;
  walk(database, [&](const Place& place, const Record* record) {
    if (found) return;
    if (record != nullptr) {
      what = excess(*record, form);
    } else if (place.setting < 0) {
      const Pattern& pattern = database.patterns[static_cast<std::size_t>(place.pattern)];
      if (form.terminated_names && !pattern.terminated) what = "a name without a NUL";
      if (pattern.name.find('\0') != std::string::npos) what = "a NUL in a name";
    }
    if (what != nullptr) found = place;
  });
  if (found) return refuse(*found, what);
  return {};
}

}  // namespace

Expected<Bytes> write(const Database& database) {
  // Sums are computed from the bytes just written, by the same functions that check them.
  const Form& form = form_of(database.layout);
  if (auto checked = check(database, form); !checked) return tl::unexpected(checked.error());
  Bytes bytes(size_without_binaries(database) + database.binaries.size());
  Writer writer(form, bytes.data());
  writer.header(database);
  for (const Pattern& pattern : database.patterns) {
    writer.pattern(pattern);
    for (const Setting& setting : pattern.settings) {
      writer.setting(setting);
      for (const Record& record : setting.records) writer.record(record);
    }
  }
  writer.put(database.binaries);
  return bytes;
}

std::uint64_t size_without_binaries(const Database& database) {
  const Form& form = form_of(database.layout);
  std::uint64_t size = header_bytes;
  for (const Pattern& pattern : database.patterns) {
    size += header_bytes_of(pattern);
    for (const Setting& setting : pattern.settings)
      size += setting_bytes + setting.records.size() * form.record_bytes;
  }
  return size;
}

}  // namespace kiln::kdb
