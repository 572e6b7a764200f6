#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/formats/kdb.hpp"

/// What clBLAS 2.12 stores in a database: seven of its fifty functions with their patterns, the
/// settings of each, six records a setting, always in the same order. What it demands of records,
/// and what messages call the parts of a database.
namespace kiln::kdb {

inline constexpr std::uint32_t function_count = 50, records_per_setting = 6;

/// How a pattern's decompositions are checked (rules.cpp).
enum class Scheme : std::uint8_t {
  vector,       ///< GEMV, SYMV: groups of items share rows
  block,        ///< every item has a tile of its own, in one dimension
  block_2d,     ///< the same in two dimensions
  subgroup,     ///< items share a tile and split its depth, in one dimension
  subgroup_2d,  ///< the same in two dimensions
  legacy,       ///< local memory, images: only what holds for all
};

struct Function {
  std::string_view name;
  std::uint32_t stored;     ///< flags that tell settings apart
  std::uint32_t looked_up;  ///< flags that a look-up keeps; the other settings are never found
};

struct KnownPattern {
  std::string_view name;
  const Function* function;
  Scheme scheme;
};

/// All 18, in the order of a file.
std::span<const KnownPattern> known_patterns();
/// The one of this name, or null.
const KnownPattern* find_pattern(std::string_view name);

struct SettingKey {
  std::uint32_t type = 0, flags = 0;
  bool operator==(const SettingKey&) const = default;
};

inline SettingKey key_of(const Setting& setting) { return {setting.type, setting.flags}; }

/// Whether any setting is of a double type.
bool has_doubles(const Database& database);

/// The settings of a function in the order of a file, with or without the double types.
std::vector<SettingKey> settings_of(const Function& function, bool doubles);

/// Whether flags make sense for a data type: clBLAS stores no conjugate of real types and no
/// conjugate without a transposition.
bool sensible(const SettingKey& key);

// The rules that records must fulfil (rules.cpp).

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
/// rule makes others meaningless (a size of zero), only that one is named. Of an unknown pattern
/// (null) or data type the rules of time, work-group and device hold.
void check_record(const Record& record, const KnownPattern* pattern, const SettingKey& setting,
                  Layout layout, const DeviceLimits& device, std::vector<Breach>& breaches);

/// A pattern's name as people may see it: a file's control bytes must not reach their terminal.
std::string shown_name(const Pattern& pattern);

/// "float TRANS_A+COLUMN_MAJOR".
std::string describe(const Setting& setting, Layout layout);

/// A record in one line; two records have the same line exactly if they are equal. Untuned records
/// with nothing in them are "untuned".
std::string to_line(const Record& record, Layout layout);

}  // namespace kiln::kdb
