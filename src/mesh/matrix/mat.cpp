// What is done with a matrix other than assembling it, and with mixed ones, block by block.
#include <algorithm>

#include "base/data/bytes.hpp"
#include "kiln/mesh/mixed_matrix.hpp"
#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Throws bad_input that begins with the matrix's name.
template <class... Parts>
[[noreturn]] void refuse_mat(const MatState& mat, fmt::format_string<Parts...> text,
                             Parts&&... parts) {
  refuse("mat {}: {}", mat.name, fmt::format(text, std::forward<Parts>(parts)...));
}

// What is asked of a matrix's companions before anything is changed. All throw bad_input.

/// A Dat on a set, of the matrix's type, with `dim` components, not freed.
void check_vector(const MatState& mat, const DatState& dat, const Set& set, std::size_t dim) {
  if (dat.data.is_free()) refuse_mat(mat, "dat {} was freed", dat.name);
  check_fits(dat, {mat.session.get(), set, dim, mat.values.form().type}, "mat", mat.name);
}

/// Rows and columns of one set, blocks square: only there has a matrix a diagonal.
void check_square(const MatState& mat) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  if (!(sparsity.row_set == sparsity.column_set))
    refuse_mat(mat, "rows of set {}, columns of {}, expected the same set", sparsity.row_set.name(),
               sparsity.column_set.name());
  if (sparsity.row_dim != sparsity.column_dim)
    refuse_mat(mat, "blocks of {} x {}, expected square ones", sparsity.row_dim,
               sparsity.column_dim);
}

/// A Dat that holds a matrix's diagonal.
void check_diagonal(const MatState& mat, const DatState& dat) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  check_square(mat);
  check_vector(mat, dat, sparsity.row_set, sparsity.row_dim);
}

/// Rows of the row set.
void check_rows(const MatState& mat, const Subset& rows) {
  const auto& row_set = Handles::state(mat.sparsity)->row_set;
  if (!(rows.superset() == row_set))
    refuse_mat(mat, "rows of set {}, expected {}", rows.superset().name(), row_set.name());
}

/// Two vectors that a product takes: x of the columns, y of the rows.
void check_product(const MatState& mat, const DatState& x, const DatState& y) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  check_vector(mat, x, sparsity.column_set, sparsity.column_dim);
  check_vector(mat, y, sparsity.row_set, sparsity.row_dim);
  if (&x == &y) refuse_mat(mat, "dat {} is both x and y, expected two", x.name);
}

/// Place of a block in its row, or -1.
std::ptrdiff_t place_of(const SparsityState& sparsity, std::int32_t row, std::int32_t column) {
  const auto rowptr = SparsityState::view(sparsity.rowptr());
  const auto colidx = SparsityState::view(sparsity.colidx());
  const auto begin = colidx.begin() + rowptr[static_cast<std::size_t>(row)];
  const auto end = colidx.begin() + rowptr[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(begin, end, column);
  return at == end || *at != column ? -1 : at - colidx.begin();
}

void multiply(const Mat& mat, const Dat& x, const Dat& y, MatrixKernels::Product product) {
  auto& state = *Handles::state(mat);
  auto& from = *Handles::state(x);
  auto& to = *Handles::state(y);
  check_product(state, from, to);
  MatrixKernels::of(state, is_soa(from), is_soa(to)).multiply(state, from, to, product);
  MatrixSession::of(*state.session).products.note(state, from, to);
}

/// Clears rows, sets their diagonal, or both.
void change(MatState& mat, const Subset& rows, const MatrixKernels::RowChange& what) {
  if (what.set) check_square(mat);
  check_rows(mat, rows);
  MatrixKernels::of(mat).change_rows(mat, Handles::state(rows).get(), what);
}

/// Rows of a matrix by their numbers.
Subset rows_of(const Mat& mat, std::span<const std::int32_t> rows) {
  return Handles::state(mat.sparsity())->row_set.subset(rows);
}

}  // namespace

const std::string& Mat::name() const { return state_->name; }
const Sparsity& Mat::sparsity() const { return state_->sparsity; }
ScalarType Mat::type() const { return state_->values.form().type; }
std::size_t Mat::count() const {
  return state_->values.form().elements * state_->values.form().dim;
}

void* Mat::host(ScalarType type, bool to_write) const {
  if (this->type() != type)
    refuse("mat {} is of {}, not {}", name(), name_of(this->type()), name_of(type));
  Session& session = *state_->session;
  session.settle(state_.get(), to_write ? Session::For::writing : Session::For::reading);
  return state_->values.on_host(session.queue, to_write);
}

void Mat::zero() { MatrixKernels::of(*state_).zero(*state_); }

void Mat::zero_rows(const Subset& rows, double diagonal) {
  change(*state_, rows, {true, true, diagonal});
}
void Mat::zero_rows(std::span<const std::int32_t> rows, double diagonal) {
  zero_rows(rows_of(*this, rows), diagonal);
}
void Mat::clear_rows(const Subset& rows) { change(*state_, rows, {true, false, 0}); }

void Mat::zero_rows_columns(const Subset& rows, const Dat& x, const Dat& b, double diagonal) {
  auto& from = *Handles::state(x);
  auto& to = *Handles::state(b);
  check_square(*state_);
  check_rows(*state_, rows);
  check_product(*state_, from, to);
  MatrixKernels::of(*state_, is_soa(from), is_soa(to))
      .zero_rows_columns(*state_, *Handles::state(rows), from, to,
                         {MatrixKernels::Columns::Of::the_rows, diagonal});
}
void Mat::zero_rows_columns(std::span<const std::int32_t> rows, const Dat& x, const Dat& b,
                            double diagonal) {
  zero_rows_columns(rows_of(*this, rows), x, b, diagonal);
}

void Mat::set_diagonal(double value) {
  check_square(*state_);
  MatrixKernels::of(*state_).change_rows(*state_, nullptr, {false, true, value});
}
void Mat::set_diagonal(const Subset& rows, double value) {
  change(*state_, rows, {false, true, value});
}
void Mat::set_diagonal(std::span<const std::int32_t> rows, double value) {
  set_diagonal(rows_of(*this, rows), value);
}
void Mat::set_diagonal(const Dat& values) {
  auto& from = *Handles::state(values);
  check_diagonal(*state_, from);
  MatrixKernels::of(*state_, is_soa(from)).set_diagonal(*state_, from);
}

void Mat::diagonal(const Dat& to) const {
  auto& into = *Handles::state(to);
  check_diagonal(*state_, into);
  MatrixKernels::of(*state_, false, is_soa(into)).diagonal(*state_, into);
}

void Mat::put(ScalarType type, std::span<const std::int32_t> rows,
              std::span<const std::int32_t> columns, const void* values, std::size_t count,
              bool adds) {
  const auto& sparsity = *Handles::state(this->sparsity());
  const std::size_t rd = sparsity.row_dim, cd = sparsity.column_dim;
  const std::size_t width = columns.size() * cd;
  const auto expected = (CheckedSize(rows.size()) * rd * columns.size() * cd).get();
  if (!expected)
    refuse_mat(*state_,
               "{} block rows times {} block columns are more entries than any memory holds",
               rows.size(), columns.size());
  if (count != *expected)
    refuse_mat(*state_, "{} values, expected {} ({} rows, {} columns)", count, *expected,
               rows.size() * rd, width);
  std::vector<std::size_t> places;
  for (const auto row : rows)
    for (const auto column : columns) {
      const bool inside = row >= 0 && static_cast<std::size_t>(row) < this->sparsity().rows();
      const auto at = inside ? place_of(sparsity, row, column) : -1;
      if (at < 0) refuse_mat(*state_, "block ({}, {}) is not in its sparsity", row, column);
      places.push_back(static_cast<std::size_t>(at));
    }
  auto* memory = host(type, true);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto* from = static_cast<const T*>(values);
    auto* to = static_cast<T*>(memory);
    for (std::size_t block = 0; block < places.size(); ++block)
      for (std::size_t j = 0; j < rd; ++j)
        for (std::size_t k = 0; k < cd; ++k) {
          T& entry = to[(places[block] * rd + j) * cd + k];
          const T value =
              from[(block / columns.size() * rd + j) * width + block % columns.size() * cd + k];
          entry = adds ? static_cast<T>(entry + value) : value;
        }
  });
}

void multiply(const Mat& mat, const Dat& x, const Dat& y) {
  multiply(mat, x, y, MatrixKernels::Product::replaces);
}
void multiply_add(const Mat& mat, const Dat& x, const Dat& y) {
  multiply(mat, x, y, MatrixKernels::Product::adds);
}

// Matrices between mixed spaces, by their blocks.

namespace {

void check_parts(const MixedDat& dat, std::size_t parts, const char* of) {
  if (dat.size() != parts)
    refuse("mixed mat: a mixed dat of {} parts, expected {}, the {}", dat.size(), parts, of);
}

void check_as_many(const MixedMat& mat) {
  if (mat.row_parts() != mat.column_parts())
    refuse("mixed mat: {} x {} parts, expected as many row parts as column parts", mat.row_parts(),
           mat.column_parts());
}

void check_part(const MixedMat& mat, std::size_t part) {
  if (part >= mat.row_parts() || part >= mat.column_parts())
    refuse("mixed mat: rows of part {} with a diagonal, of {} x {} parts", part, mat.row_parts(),
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
  zero_rows(part, rows_of(block(part, part), rows), diagonal);
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
  zero_rows_columns(part, rows_of(block(part, part), rows), x, b, diagonal);
}

void MixedMat::diagonal(const MixedDat& to) const {
  check_as_many(*this);
  check_parts(to, row_parts(), "row parts");
  for (std::size_t p = 0; p < row_parts(); ++p)
    check_diagonal(*Handles::state(block(p, p)), *Handles::state(to[p]));
  for (std::size_t p = 0; p < row_parts(); ++p) block(p, p).diagonal(to[p]);
}

MixedArg arg(const MixedMat& mat, const MixedMap& rows, const MixedMap& columns, Access access) {
  if (rows.size() != mat.row_parts() || columns.size() != mat.column_parts())
    refuse("mixed mat: {} x {} parts through mixed maps of {} x {}, expected as many",
           mat.row_parts(), mat.column_parts(), rows.size(), columns.size());
  const Mat& first = mat.block(0, 0);
  std::vector<Arg> parts;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Mat& block = mat.block(r, c);
      if (block.type() != first.type())
        refuse("mixed mat: mat {} is of {} and mat {} of {}, expected one type", first.name(),
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
        refuse("mixed mat: dat {} is a part of both x and y, expected two", result.name());
  for (std::size_t r = 0; r < y.size(); ++r)
    for (std::size_t c = 0; c < x.size(); ++c)
      check_product(*Handles::state(mat.block(r, c)), *Handles::state(x[c]), *Handles::state(y[r]));
  for (std::size_t r = 0; r < y.size(); ++r) {
    multiply(mat.block(r, 0), x[0], y[r]);
    for (std::size_t c = 1; c < x.size(); ++c) multiply_add(mat.block(r, c), x[c], y[r]);
  }
}

}  // namespace kiln::mesh
