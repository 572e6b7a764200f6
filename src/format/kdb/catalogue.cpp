#include "format/kdb/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "format/kdb/form.hpp"

namespace kiln::kdb {
namespace {

constexpr std::uint32_t trans_a = 0x1, conjugate_a = 0x2, trans_b = 0x4, conjugate_b = 0x8,
                        column_major = 0x10, upper = 0x20, right = 0x40, unit = 0x80,
                        beta_zero = 0x800, incx_one = 0x40000, incy_one = 0x80000;

constexpr Function gemv{"GEMV", trans_a | column_major | upper | beta_zero | incx_one | incy_one,
                        trans_a | column_major | upper};
constexpr Function symv{"SYMV", column_major | upper | beta_zero | incx_one | incy_one,
                        column_major | upper};
constexpr Function gemm{"GEMM",
                        trans_a | conjugate_a | trans_b | conjugate_b | column_major | beta_zero,
                        trans_a | trans_b | column_major};
constexpr std::uint32_t triangular = trans_a | upper | right | column_major;
constexpr Function trmm{"TRMM", triangular | conjugate_a | unit, triangular};
constexpr Function trsm{"TRSM", triangular | conjugate_a | unit, triangular};
constexpr Function syrk{"SYRK", trans_a | column_major, trans_a | column_major};
constexpr Function syr2k{"SYR2K", trans_a | column_major, trans_a | column_major};

// The names are the keys of the file, to the letter: clBLAS looks for them as they are here.
constexpr KnownPattern patterns[] = {
    {"Cached global memory based block gemv", &gemv, Scheme::vector},
    {"Cached global memory based block symv", &symv, Scheme::vector},
    {"LDS based block gemm", &gemm, Scheme::legacy},
    {"Image based block gemm", &gemm, Scheme::legacy},
    {"Cached global memory based block gemm", &gemm, Scheme::block_2d},
    {"Cached global memory based subgroup gemm", &gemm, Scheme::subgroup_2d},
    {"LDS based block trmm", &trmm, Scheme::legacy},
    {"Image based block trmm", &trmm, Scheme::legacy},
    {"Cached global memory based trmm", &trmm, Scheme::block},
    {"Cached global memory based subgroup trmm", &trmm, Scheme::subgroup},
    {"LDS based block trsm", &trsm, Scheme::legacy},
    {"Image based block trsm", &trsm, Scheme::legacy},
    {"2-staged cached global memory based block trsm", &trsm, Scheme::block},
    {"Cached global memory based block trsm", &trsm, Scheme::block},
    {"Cached global memory based block syrk", &syrk, Scheme::block},
    {"Cached global memory based subgroup syrk", &syrk, Scheme::subgroup},
    {"Cached global memory based block syr2k", &syr2k, Scheme::block},
    {"Cached global memory based subgroup syr2k", &syr2k, Scheme::subgroup},
};

// The order of a file's inner loop, which is not the numbers'.
constexpr std::uint32_t all_types[] = {0, 2, 1, 3}, single_types[] = {0, 2};

}  // namespace

std::span<const KnownPattern> known_patterns() { return patterns; }

const KnownPattern* find_pattern(std::string_view name) {
  for (const KnownPattern& pattern : patterns)
    if (pattern.name == name) return &pattern;
  return nullptr;
}

bool sensible(const SettingKey& key) {
  const bool complex = key.type == 2 || key.type == 3;
  if ((key.flags & (conjugate_a | conjugate_b)) != 0 && !complex) return false;
  if ((key.flags & conjugate_a) != 0 && (key.flags & trans_a) == 0) return false;
  return (key.flags & conjugate_b) == 0 || (key.flags & trans_b) != 0;
}

bool has_doubles(const Database& database) {
  return std::any_of(database.patterns.begin(), database.patterns.end(), [](const auto& pattern) {
    return std::any_of(pattern.settings.begin(), pattern.settings.end(),
                       [](const auto& setting) { return setting.type == 1 || setting.type == 3; });
  });
}

std::vector<SettingKey> settings_of(const Function& function, bool doubles) {
  std::vector<SettingKey> keys;
  const std::span<const std::uint32_t> types =
      doubles ? std::span<const std::uint32_t>(all_types) : single_types;
  // The subsets of a mask, ascending: subtracting the mask carries over the bits outside it.
  std::uint32_t flags = 0;
  do {
    for (const std::uint32_t type : types)
      if (const SettingKey key{type, flags}; sensible(key)) keys.push_back(key);
    flags = (flags - function.stored) & function.stored;
  } while (flags != 0);
  return keys;
}

namespace {

constexpr std::string_view layouts[] = {"v3", "v1", "v1-wide"};
constexpr std::string_view types[] = {"float", "double", "complex_float", "complex_double",
                                      "unsigned_int"};

// clBLAS 2.12's KernelExtraFlags, from the lowest bit on.
constexpr std::string_view known_flags[] = {"TRANS_A",
                                            "CONJUGATE_A",
                                            "TRANS_B",
                                            "CONJUGATE_B",
                                            "COLUMN_MAJOR",
                                            "UPPER_TRIANG",
                                            "SIDE_RIGHT",
                                            "UNIT_DIAGONAL",
                                            "TAILS_M",
                                            "TAILS_N",
                                            "TAILS_K",
                                            "BETA_ZERO",
                                            "NO_COPY_VEC_A",
                                            "NO_COPY_VEC_B",
                                            "NO_COPY_VEC_C",
                                            "SYRK_SEPARATE_DIAGONAL",
                                            "SYRK_EVALUATE_DIAGONAL",
                                            "SYRK_2K_RANK",
                                            "INCX_ONE",
                                            "INCY_ONE",
                                            "ENABLE_MAD",
                                            "VENDOR_AMD",
                                            "STARTM_NOT_ZERO",
                                            "STARTN_NOT_ZERO",
                                            "A_OFF_NOT_ZERO",
                                            "BX_OFF_NOT_ZERO",
                                            "CY_OFF_NOT_ZERO",
                                            "TAILS_M_LOWER",
                                            "TAILS_N_LOWER",
                                            "TAILS_K_LOWER"};

/// The name of a bit; empty where the layout's source has none. Of version 1 the published page
/// names these nine.
std::string_view flag_of(std::size_t bit, Layout layout) {
  if (layout == Layout::v3) return known_flags[bit];
  if (bit == 7) return "SEPARATE_TAILS";
  return bit < 7 || bit == 11 ? known_flags[bit] : std::string_view();
}

}  // namespace

std::string_view name_of(Layout layout) { return layouts[static_cast<std::size_t>(layout)]; }

std::optional<Layout> layout_named(std::string_view name) {
  for (const Layout layout : {Layout::v3, Layout::v1, Layout::v1_wide})
    if (name_of(layout) == name) return layout;
  return std::nullopt;
}

std::optional<std::string_view> type_name(std::uint32_t type) {
  if (type >= std::size(types)) return std::nullopt;
  return types[type];
}

std::optional<std::uint32_t> type_named(std::string_view name) {
  for (std::uint32_t type = 0; type < std::size(types); ++type)
    if (types[type] == name) return type;
  return std::nullopt;
}

// What has no name stays visible as a number, and flag_named reads it back.
std::vector<std::string> flag_names(std::uint32_t flags, Layout layout) {
  std::vector<std::string> names;
  for (std::size_t bit = 0; bit < std::size(known_flags); ++bit) {
    const auto name = flag_of(bit, layout);
    if ((flags >> bit & 1) == 0 || name.empty()) continue;
    names.emplace_back(name);
    flags &= ~(std::uint32_t{1} << bit);
  }
  if (flags != 0) names.push_back(fmt::format("{:#x}", flags));
  return names;
}

std::optional<std::uint32_t> flag_named(std::string_view name, Layout layout) {
  for (std::size_t bit = 0; bit < std::size(known_flags); ++bit)
    if (!name.empty() && flag_of(bit, layout) == name) return std::uint32_t{1} << bit;
  if (!name.starts_with("0x")) return std::nullopt;
  std::uint32_t bits = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + 2, end, bits, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return bits;
}

std::optional<std::string_view> function_of(std::string_view pattern) {
  const KnownPattern* known = find_pattern(pattern);
  if (known == nullptr) return std::nullopt;
  return known->function->name;
}

std::string shown_name(const Pattern& pattern) {
  if (pattern.name.empty()) return "(no name)";
  std::string name = pattern.name;
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return name;
}

std::string describe(const Setting& setting, Layout layout) {
  const auto names = flag_names(setting.flags, layout);
  const auto type = type_name(setting.type);
  return fmt::format("{}{}{}", type ? std::string(*type) : fmt::format("type {}", setting.type),
                     names.empty() ? "" : " ", fmt::join(names, "+"));
}

namespace {

/// The element of an index that a place may have made up, or null.
template <class T>
const T* element_at(const std::vector<T>& elements, std::int64_t index) {
  const bool is_there = index >= 0 && static_cast<std::uint64_t>(index) < elements.size();
  return is_there ? &elements[static_cast<std::size_t>(index)] : nullptr;
}

}  // namespace

// Findings of a file that could not be read to its end have places and no database.
std::string describe(const Database& database, const Place& place) {
  if (place.pattern < 0) return "header";
  const Pattern* const pattern = element_at(database.patterns, place.pattern);
  std::string text = pattern ? shown_name(*pattern) : fmt::format("pattern {}", place.pattern);
  if (place.setting < 0) return text;
  const Setting* const setting = pattern ? element_at(pattern->settings, place.setting) : nullptr;
  text += ", " + (setting ? describe(*setting, database.layout)
                          : fmt::format("setting {}", place.setting));
  if (place.record >= 0) text += fmt::format(", record {}", place.record);
  return text;
}

}  // namespace kiln::kdb
