#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "kiln/blas/call.hpp"

// The one table of what the routines have in common: checks, sizes and the forms of matrices ask
// it.
namespace kiln::blas {

/// What a routine may be or have; a sum of these for each.
namespace trait {
constexpr unsigned rectangular = 1;  ///< its sizes are m and n; else n alone
constexpr unsigned packed = 2;       ///< A is a packed triangle
constexpr unsigned band = 4;         ///< A is a band
constexpr unsigned conjugated = 8;   ///< Hermitian; of dotc and gerc: one vector is conjugated
constexpr unsigned triangular = 16;  ///< A is; the result takes the place of x, or B
constexpr unsigned update = 32;      ///< adds a product of two factors that may be the same one
constexpr unsigned second = 64;      ///< of updates: the factors are two
constexpr unsigned sided = 128;      ///< A is on one side of B
}  // namespace trait

struct RoutineTraits {
  std::string_view name;
  unsigned traits = 0;
};

/// In the order of the enumerators.
constexpr std::array<RoutineTraits, routine_count> routines = [] {
  using namespace trait;
  return std::array<RoutineTraits, routine_count>{{
      {"swap"},
      {"scal"},
      {"copy"},
      {"axpy"},
      {"dot"},
      {"dotc", conjugated},
      {"rotg"},
      {"rotmg"},
      {"rot"},
      {"rotm"},
      {"nrm2"},
      {"iamax"},
      {"asum"},
      {"sum"},
      {"iamin"},
      {"imax"},
      {"imin"},
      {"had"},
      {"gemv", rectangular},
      {"symv"},
      {"hemv", conjugated},
      {"trmv", triangular},
      {"trsv", triangular},
      {"ger", rectangular | update | second},
      {"gerc", rectangular | update | second | conjugated},
      {"syr", update},
      {"her", update | conjugated},
      {"syr2", update | second},
      {"her2", update | second | conjugated},
      {"tpmv", packed | triangular},
      {"tpsv", packed | triangular},
      {"spmv", packed},
      {"hpmv", packed | conjugated},
      {"spr", packed | update},
      {"hpr", packed | update | conjugated},
      {"spr2", packed | update | second},
      {"hpr2", packed | update | second | conjugated},
      {"gbmv", rectangular | band},
      {"tbmv", band | triangular},
      {"sbmv", band},
      {"hbmv", band | conjugated},
      {"tbsv", band | triangular},
      {"omatcopy", rectangular},
      {"im2col", rectangular},
      {"col2im", rectangular},
      {"gemm", rectangular},
      {"trmm", rectangular | sided | triangular},
      {"trsm", rectangular | sided | triangular},
      {"syrk", update},
      {"syr2k", update | second},
      {"symm", rectangular | sided},
      {"hemm", rectangular | sided | conjugated},
      {"herk", update | conjugated},
      {"her2k", update | second | conjugated},
      {"conv", rectangular},
  }};
}();

/// "swap", "scal" and so on, in the order of the enumerators.
constexpr std::array<std::string_view, routine_count> routine_names = [] {
  std::array<std::string_view, routine_count> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = routines[i].name;
  return names;
}();

/// "gemm"; nothing for another name.
constexpr std::optional<Routine> routine_named(std::string_view name) {
  for (std::size_t i = 0; i < routines.size(); ++i)
    if (routines[i].name == name) return static_cast<Routine>(i);
  return std::nullopt;
}

constexpr bool has(Routine routine, unsigned trait) {
  return (routines[static_cast<std::size_t>(routine)].traits & trait) != 0;
}

}  // namespace kiln::blas
