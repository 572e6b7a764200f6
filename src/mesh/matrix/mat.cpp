// What is done with a matrix beside assembling it.
#include <fmt/format.h>

#include <algorithm>

#include "base/checked_size.hpp"
#include "mesh/matrix/mat_checks.hpp"
#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/object/scalar.hpp"

namespace kiln::mesh {
namespace {

/// Place of a block in its row, or -1.
std::ptrdiff_t place_of(const SparsityState& sparsity, std::int32_t row, std::int32_t column) {
  const auto rowptr = SparsityState::view(sparsity.rowptr());
  const auto colidx = SparsityState::view(sparsity.colidx());
  const auto begin = colidx.begin() + rowptr[static_cast<std::size_t>(row)];
  const auto end = colidx.begin() + rowptr[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(begin, end, column);
  return at == end || *at != column ? -1 : at - colidx.begin();
}

}  // namespace

void Mat::zero() {
  state_->session->throw_pending();
  MatrixKernels::of(*state_).zero(*state_);
}

void Mat::zero_rows(const Subset& rows, double diagonal) {
  check_square(*state_);
  check_rows(*state_, rows);
  state_->session->throw_pending();
  MatrixKernels::of(*state_).change_rows(*state_, Handles::state(rows).get(),
                                         {true, true, diagonal});
}
void Mat::zero_rows(std::span<const std::int32_t> rows, double diagonal) {
  zero_rows(Handles::state(sparsity())->row_set.subset(rows), diagonal);
}

void Mat::zero_rows_columns(const Subset& rows, const Dat& x, const Dat& b, double diagonal) {
  auto& from = *Handles::state(x);
  auto& to = *Handles::state(b);
  check_square(*state_);
  check_rows(*state_, rows);
  check_product(*state_, from, to);
  state_->session->throw_pending();
  MatrixKernels::of(*state_, is_soa(from), is_soa(to))
      .zero_rows_columns(*state_, *Handles::state(rows), from, to,
                         {MatrixKernels::Columns::Of::the_rows, diagonal});
}
void Mat::zero_rows_columns(std::span<const std::int32_t> rows, const Dat& x, const Dat& b,
                            double diagonal) {
  zero_rows_columns(Handles::state(sparsity())->row_set.subset(rows), x, b, diagonal);
}

void Mat::clear_rows(const Subset& rows) {
  check_rows(*state_, rows);
  state_->session->throw_pending();
  MatrixKernels::of(*state_).change_rows(*state_, Handles::state(rows).get(), {true, false, 0});
}

void Mat::set_diagonal(double value) {
  check_square(*state_);
  state_->session->throw_pending();
  MatrixKernels::of(*state_).change_rows(*state_, nullptr, {false, true, value});
}
void Mat::set_diagonal(const Subset& rows, double value) {
  check_square(*state_);
  check_rows(*state_, rows);
  state_->session->throw_pending();
  MatrixKernels::of(*state_).change_rows(*state_, Handles::state(rows).get(), {false, true, value});
}
void Mat::set_diagonal(std::span<const std::int32_t> rows, double value) {
  set_diagonal(Handles::state(sparsity())->row_set.subset(rows), value);
}

void Mat::set_diagonal(const Dat& values) {
  auto& from = *Handles::state(values);
  check_square(*state_);
  check_vector(*state_, from, Handles::state(sparsity())->row_set, sparsity().row_dim());
  state_->session->throw_pending();
  MatrixKernels::of(*state_, is_soa(from)).set_diagonal(*state_, from);
}

void Mat::diagonal(const Dat& to) const {
  auto& into = *Handles::state(to);
  check_square(*state_);
  check_vector(*state_, into, Handles::state(sparsity())->row_set, sparsity().row_dim());
  state_->session->throw_pending();
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
    refuse(*state_, "{} block rows times {} block columns are more entries than any memory holds",
           rows.size(), columns.size());
  if (count != *expected)
    refuse(*state_, "{} values, expected {} ({} rows, {} columns)", count, *expected,
           rows.size() * rd, width);
  std::vector<std::size_t> places;
  for (const auto row : rows)
    for (const auto column : columns) {
      const bool inside = row >= 0 && static_cast<std::size_t>(row) < this->sparsity().rows();
      const auto at = inside ? place_of(sparsity, row, column) : -1;
      if (at < 0) refuse(*state_, "block ({}, {}) is not in its sparsity", row, column);
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

namespace {

void multiply(const Mat& mat, const Dat& x, const Dat& y, MatrixKernels::Product product) {
  auto& state = *Handles::state(mat);
  auto& from = *Handles::state(x);
  auto& to = *Handles::state(y);
  check_product(state, from, to);
  state.session->throw_pending();
  MatrixKernels::of(state, is_soa(from), is_soa(to)).multiply(state, from, to, product);
  state.session->products.note(state, from, to);
}

}  // namespace

void multiply(const Mat& mat, const Dat& x, const Dat& y) {
  multiply(mat, x, y, MatrixKernels::Product::replaces);
}
void multiply_add(const Mat& mat, const Dat& x, const Dat& y) {
  multiply(mat, x, y, MatrixKernels::Product::adds);
}

}  // namespace kiln::mesh
