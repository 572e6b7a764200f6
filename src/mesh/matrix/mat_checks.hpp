#pragma once

#include <fmt/format.h>

#include "mesh/object/state.hpp"

namespace kiln::mesh {

/// Throws bad_input that begins with the matrix's name.
template <class... Parts>
[[noreturn]] void refuse(const MatState& mat, fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, fmt::format("mat {}: {}", mat.name,
                                           fmt::format(text, std::forward<Parts>(parts)...)));
}

// What is asked of a matrix's companions before anything is changed. All throw bad_input.

/// A Dat on a set, of the matrix's type, with `dim` components, not freed.
void check_vector(const MatState& mat, const DatState& dat, const Set& set, std::size_t dim);
/// Rows and columns of one set, blocks square: only there has a matrix a diagonal.
void check_square(const MatState& mat);
/// Rows of the row set.
void check_rows(const MatState& mat, const Subset& rows);
/// Two vectors that a product takes: x of the columns, y of the rows.
void check_product(const MatState& mat, const DatState& x, const DatState& y);

}  // namespace kiln::mesh
