#include "format/kdb/catalogue.hpp"

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

}  // namespace kiln::kdb
