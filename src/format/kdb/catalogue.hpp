#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/formats/kdb.hpp"

/// What clBLAS 2.12 stores in a database: seven of its fifty functions with their patterns, the
/// settings of each, six records a setting, always in the same order. And what messages call the
/// parts of a database.
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

/// The settings of a function in the order of a file, with or without the double types.
std::vector<SettingKey> settings_of(const Function& function, bool doubles);

/// Whether flags make sense for a data type: clBLAS stores no conjugate of real types and no
/// conjugate without a transposition.
bool sensible(const SettingKey& key);

/// A pattern's name as people may see it: a file's control bytes must not reach their terminal.
std::string shown_name(const Pattern& pattern);

/// "float TRANS_A+COLUMN_MAJOR".
std::string describe(const Setting& setting, Layout layout);

/// A record in one line; two records have the same line exactly if they are equal. Untuned records
/// with nothing in them are "untuned".
std::string to_line(const Record& record, Layout layout);

}  // namespace kiln::kdb
