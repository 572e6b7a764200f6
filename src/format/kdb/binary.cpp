// Reads and writes the binary grammar of kdb.hpp, in any layout.
#include <fmt/format.h>

#include <algorithm>

#include "base/data/cursor.hpp"
#include "format/kdb/catalogue.hpp"
#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

/// Reads one file in one layout. What is wrong stays in the cursor; sums that do not fit go to
/// `sums` where there is one.
class Reader {
 public:
  Reader(ByteView bytes, const Form& form, std::vector<Finding>* sums)
      : bytes_(bytes), cursor_(bytes, "kernel database"), form_(form), sums_(sums) {}

  Expected<Database> read() {
    database_.layout = form_.layout;
    read_header();
    const std::size_t end = narrow_to_patterns();
    while (cursor_.left() > 0) read_pattern();
    cursor_.widen(end);
    if (form_.holds_binaries && cursor_.ok())
      database_.binaries = cursor_.take(cursor_.left(), "binaries");
    check_kernels();
    if (!cursor_.ok()) return tl::unexpected(cursor_.error());
    return std::move(database_);
  }

 private:
  // The version is looked at before the sum: another version's sum may be another one.
  void read_header() {
    // Said of a shorter file, too: it is something else, and not cut short.
    if (cursor_.left() < 3) cursor_.refuse(0, "header", "not a kernel database: expected 'CBS'");
    const ByteView magic = cursor_.take(3, "header");
    const auto version = cursor_.number<std::uint32_t>("version");
    if (!cursor_.ok()) return;
    if (as_text(magic) != "CBS")
      cursor_.refuse(0, "header", "not a kernel database: expected 'CBS'");
    if (version != form_.version)
      cursor_.refuse(3, "version", fmt::format("found {}, expected 1 or 3", version),
                     Errc::unsupported);
    database_.functions = cursor_.number<std::uint32_t>("number of functions");
    database_.binary_start = cursor_.number<std::uint64_t>("binary data start");
    check_sum("header", 0, form_.header_sum);
  }

  /// Ends the readable bytes where the binaries begin; gives the end before.
  std::size_t narrow_to_patterns() {
    const std::uint64_t start = database_.binary_start;
    if (!form_.holds_binaries || start == 0) return cursor_.at() + cursor_.left();
    if (start < header_bytes || start > bytes_.size()) {
      cursor_.refuse(11, "binary data start",
                     fmt::format("{} is not within the file of {} bytes, after its header", start,
                                 bytes_.size()));
      return 0;
    }
    return cursor_.narrow(start - header_bytes, "binary data start");
  }

  // Nothing in the file says how many patterns there are; they end where the file does, or the
  // binaries begin.
  void read_pattern() {
    const std::size_t start = cursor_.at();
    if (database_.patterns.size() == most_patterns)
      return cursor_.refuse(start, "pattern", "more than 400 patterns are not read");
    Pattern pattern;
    read_name(pattern);
    place_ = {start, static_cast<std::int64_t>(database_.patterns.size()), -1, -1};
    const auto settings = cursor_.number<std::uint32_t>("number of settings");
    check_sum("pattern", start, form_.pattern_sum);
    cursor_.expect_room(settings, setting_bytes, cursor_.at() - 8, "number of settings");
    if (!cursor_.ok()) return;
    pattern.settings.reserve(settings);
    for (std::uint32_t i = 0; i < settings && cursor_.ok(); ++i)
      pattern.settings.push_back(read_setting(i));
    database_.patterns.push_back(std::move(pattern));
  }

  // clBLAS compares names as C strings, so that a NUL inside would give one name two meanings.
  void read_name(Pattern& pattern) {
    const std::size_t start = cursor_.at();
    std::string_view name = as_text(cursor_.block("name"));
    if (!cursor_.ok()) return;
    pattern.terminated = name.ends_with('\0');
    if (pattern.terminated) name.remove_suffix(1);
    if (form_.terminated_names && !pattern.terminated)
      cursor_.refuse(start + 4, "name", "the last byte is not NUL");
    if (name.find('\0') != name.npos)
      cursor_.refuse(start + 4, "name", "there is a NUL before the last byte");
    pattern.name = name;
  }

  // Types are kept by version 3's numbers; the subtraction wraps, and the writer's addition wraps
  // it back, so that any number comes out as it went in.
  Setting read_setting(std::uint32_t index) {
    const std::size_t start = cursor_.at();
    Setting setting;
    setting.type = cursor_.number<std::uint32_t>("data type") - form_.first_type;
    setting.flags = cursor_.number<std::uint32_t>("flags");
    const auto records = cursor_.number<std::uint32_t>("number of records");
    place_.setting = index;
    place_.record = -1;
    check_sum("setting", start, form_.setting_sum);
    cursor_.expect_room(records, form_.record_bytes, start + 8, "number of records");
    if (!cursor_.ok()) return setting;
    setting.records.reserve(records);
    for (std::uint32_t i = 0; i < records; ++i) setting.records.push_back(read_record(i));
    return setting;
  }

  // The hot loop: one bounds check, one walk for the sum, one copy of the fields.
  Record read_record(std::uint32_t index) {
    const std::size_t start = cursor_.at();
    const ByteView bytes = cursor_.take(form_.record_bytes - sum_bytes, "record");
    if (bytes.empty()) return {};
    place_.record = index;
    check_sum("record", start, form_.record_sum);
    return form_.read(bytes.data());
  }

  /// Reads the sum of what was read since `start`.
  void check_sum(std::string_view part, std::size_t start, std::uint32_t (*sum)(ByteView)) {
    const std::size_t end = cursor_.at();
    const auto stored = cursor_.number<std::uint32_t>("CRC");
    if (!cursor_.ok()) return;
    // Compared before anything of the part is believed, its counts above all.
    const std::uint32_t computed = sum(bytes_.subspan(start, end - start));
    if (computed == stored) [[likely]]
      return;
    std::string text =
        fmt::format("the CRC is {:#010x}, the bytes give {:#010x}", stored, computed);
    if (sums_ == nullptr) return cursor_.refuse(start, part, text);
    place_.offset = start;
    if (part == "header") place_ = {};
    sums_->push_back({Finding::Severity::error, "sum", place_, std::move(text)});
  }

  /// Sizes and offsets must lie in the binaries, so that kernel() finds each of them.
  void check_kernels() {
    if (!form_.holds_binaries || !cursor_.ok()) return;
    walk(database_, [this](const Place& place, const Record* record) {
      for (std::size_t i = 0; record != nullptr && i < record->sizes.size(); ++i)
        if (record->sizes[i] != 0 && kernel(database_, *record, i).empty())
          cursor_.refuse(static_cast<std::size_t>(place.offset), "record",
                         fmt::format("kernel {} of {} bytes at {} is not within the binaries", i,
                                     record->sizes[i], record->offsets[i]));
    });
  }

  ByteView bytes_;
  Cursor cursor_;
  const Form& form_;
  std::vector<Finding>* sums_;
  Database database_;
  Place place_;
};

/// The version number where there is one; 3 where not, so that the reader says what is missing.
std::uint32_t version_of(ByteView bytes) {
  return bytes.size() < 7 ? 3 : load_le<std::uint32_t>(bytes.data() + 3);
}

// The readings of version 1 differ in the size of a record only. A file without records fits both,
// and means the same in both.
Expected<Database> parse_any(ByteView bytes, std::vector<Finding>* sums) {
  if (bytes.empty()) return fail(Errc::corrupt, "kernel database, byte 0: the file is empty");
  if (version_of(bytes) != 1) return Reader(bytes, form_of(Layout::v3), sums).read();
  auto database = Reader(bytes, form_of(Layout::v1), sums).read();
  if (database && (sums == nullptr || sums->empty())) return database;
  // The other reading counts only where everything fits: the errors told are those of "v1".
  auto wide = Reader(bytes, form_of(Layout::v1_wide), nullptr).read();
  if (wide && sums != nullptr) sums->clear();
  return wide ? std::move(wide) : std::move(database);
}

}  // namespace

Expected<Database> parse(ByteView bytes) { return parse_any(bytes, nullptr); }

Expected<Database> parse(ByteView bytes, std::vector<Finding>& sums) {
  sums.clear();
  return parse_any(bytes, &sums);
}

namespace {

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
  const Form& form = form_of(database.layout);
  if (auto checked = check(database, form); !checked) return tl::unexpected(checked.error());
  Bytes bytes;
  bytes.reserve(size_without_binaries(database) + database.binaries.size());
  // Counts beyond 32 bits would take more memory than a model can have.
  const auto number = [&](std::size_t value) {
    append_le(bytes, static_cast<std::uint32_t>(value));
  };
  // Sums are computed from the bytes just written, by the same functions that check them.
  const auto sum = [&](std::size_t start, std::uint32_t (*of)(ByteView)) {
    append_le(bytes, of(ByteView(bytes).subspan(start)));
  };
  append(bytes, std::string_view("CBS"));
  number(form.version);
  number(database.functions);
  append_le(bytes, database.binary_start);
  sum(0, form.header_sum);
  for (const Pattern& pattern : database.patterns) {
    const std::size_t pattern_start = bytes.size();
    append_block(bytes, pattern.terminated ? pattern.name + '\0' : pattern.name);
    number(pattern.settings.size());
    sum(pattern_start, form.pattern_sum);
    for (const Setting& setting : pattern.settings) {
      const std::size_t setting_start = bytes.size();
      number(setting.type + form.first_type);
      number(setting.flags);
      number(setting.records.size());
      sum(setting_start, form.setting_sum);
      for (const Record& record : setting.records) {
        const std::size_t start = bytes.size();
        bytes.resize(start + form.record_bytes - sum_bytes);
        form.write(record, bytes.data() + start);
        sum(start, form.record_sum);
      }
    }
  }
  append(bytes, database.binaries);
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
