// Matrices between mixed spaces, by their blocks.
#include <fmt/format.h>

#include "kiln/mesh/mixed_matrix.hpp"
#include "mesh/matrix/mat_checks.hpp"
#include "mesh/matrix/matrix_kernels.hpp"

namespace kiln::mesh {
namespace {

template <class... Parts>
[[noreturn]] void refuse_mixed_mat(fmt::format_string<Parts...> text, Parts&&... parts) {
  throw Error(Errc::bad_input, "mixed mat: " + fmt::format(text, std::forward<Parts>(parts)...));
}

void check_parts(const MixedDat& dat, std::size_t parts, const char* of) {
  if (dat.size() != parts)
    refuse_mixed_mat("a mixed dat of {} parts, expected {}, the {}", dat.size(), parts, of);
}

void check_as_many(const MixedMat& mat) {
  if (mat.row_parts() != mat.column_parts())
    refuse_mixed_mat("{} x {} parts, expected as many row parts as column parts", mat.row_parts(),
                     mat.column_parts());
}

void check_part(const MixedMat& mat, std::size_t part) {
  if (part >= mat.row_parts() || part >= mat.column_parts())
    refuse_mixed_mat("rows of part {} with a diagonal, of {} x {} parts", part, mat.row_parts(),
                     mat.column_parts());
}

}  // namespace

void MixedMat::zero() {
  for (Mat& one : *this) one.zero();
}

void MixedMat::zero_rows(std::size_t part, const Subset& rows, double diagonal) {
  check_part(*this, part);
  // The block that may be refused comes first: then nothing was changed.
  block(part, part).zero_rows(rows, diagonal);
  for (std::size_t c = 0; c < column_parts(); ++c)
    if (c != part) block(part, c).clear_rows(rows);
}
void MixedMat::zero_rows(std::size_t part, std::span<const std::int32_t> rows, double diagonal) {
  check_part(*this, part);
  zero_rows(part, Handles::state(block(part, part).sparsity())->row_set.subset(rows), diagonal);
}

void MixedMat::zero_rows_columns(std::size_t part, const Subset& rows, const MixedDat& x,
                                 const MixedDat& b, double diagonal) {
  check_part(*this, part);
  check_as_many(*this);
  check_parts(x, column_parts(), "column parts");
  check_parts(b, row_parts(), "row parts");
  const Dat& given = x[part];
  for (std::size_t r = 0; r < row_parts(); ++r)
    check_product(*Handles::state(block(r, part)), *Handles::state(given), *Handles::state(b[r]));
  for (std::size_t c = 0; c < column_parts(); ++c)
    check_rows(*Handles::state(block(part, c)), rows);
  block(part, part).zero_rows_columns(rows, given, b[part], diagonal);
  for (std::size_t other = 0; other < row_parts(); ++other) {
    if (other == part) continue;
    auto& mat = *Handles::state(block(other, part));
    auto &from = *Handles::state(given), &to = *Handles::state(b[other]);
    MatrixKernels::of(mat, is_soa(from), is_soa(to))
        .zero_rows_columns(mat, *Handles::state(rows), from, to,
                           {MatrixKernels::Columns::Of::other_rows, 0});
    block(part, other).clear_rows(rows);
  }
}
void MixedMat::zero_rows_columns(std::size_t part, std::span<const std::int32_t> rows,
                                 const MixedDat& x, const MixedDat& b, double diagonal) {
  check_part(*this, part);
  zero_rows_columns(part, Handles::state(block(part, part).sparsity())->row_set.subset(rows), x, b,
                    diagonal);
}

void MixedMat::diagonal(const MixedDat& to) const {
  check_as_many(*this);
  check_parts(to, row_parts(), "row parts");
  for (std::size_t p = 0; p < row_parts(); ++p) {
    const auto& mat = *Handles::state(block(p, p));
    const auto& sparsity = *Handles::state(mat.sparsity);
    check_square(mat);
    check_vector(mat, *Handles::state(to[p]), sparsity.row_set, sparsity.row_dim);
  }
  for (std::size_t p = 0; p < row_parts(); ++p) block(p, p).diagonal(to[p]);
}

MixedArg arg(const MixedMat& mat, const MixedMap& rows, const MixedMap& columns, Access access) {
  if (rows.size() != mat.row_parts() || columns.size() != mat.column_parts())
    refuse_mixed_mat("{} x {} parts through mixed maps of {} x {}, expected as many",
                     mat.row_parts(), mat.column_parts(), rows.size(), columns.size());
  const Mat& first = mat.block(0, 0);
  std::vector<Arg> parts;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Mat& block = mat.block(r, c);
      if (block.type() != first.type())
        refuse_mixed_mat("mat {} is of {} and mat {} of {}, expected one type", first.name(),
                         name_of(first.type()), block.name(), name_of(block.type()));
      parts.push_back(arg(block, rows[r], columns[c], access));
    }
  return MixedArg::as_one(std::move(parts), columns.size());
}

void multiply(const MixedMat& mat, const MixedDat& x, const MixedDat& y) {
  check_parts(x, mat.column_parts(), "column parts");
  check_parts(y, mat.row_parts(), "row parts");
  for (const Dat& result : y)
    for (const Dat& factor : x)
      if (result == factor)
        refuse_mixed_mat("dat {} is a part of both x and y, expected two", result.name());
  for (std::size_t r = 0; r < y.size(); ++r)
    for (std::size_t c = 0; c < x.size(); ++c)
      check_product(*Handles::state(mat.block(r, c)), *Handles::state(x[c]), *Handles::state(y[r]));
  for (std::size_t r = 0; r < y.size(); ++r) {
    multiply(mat.block(r, 0), x[0], y[r]);
    for (std::size_t c = 1; c < x.size(); ++c) multiply_add(mat.block(r, c), x[c], y[r]);
  }
}

}  // namespace kiln::mesh
