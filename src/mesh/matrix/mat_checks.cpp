#include "mesh/matrix/mat_checks.hpp"

namespace kiln::mesh {

void check_vector(const MatState& mat, const DatState& dat, const Set& set, std::size_t dim) {
  if (dat.session != mat.session) refuse(mat, "dat {} belongs to another Mesh", dat.name);
  if (dat.data.is_free()) refuse(mat, "dat {} was freed", dat.name);
  if (!(dat.on.set() == set))
    refuse(mat, "dat {} is on set {}, expected {}", dat.name, dat.on.set().name(), set.name());
  const auto& form = dat.data.form();
  if (form.dim != dim)
    refuse(mat, "dat {} has {} components, expected {}", dat.name, form.dim, dim);
  if (form.type != mat.values.form().type)
    refuse(mat, "dat {} is of {}, expected {}", dat.name, name_of(form.type),
           name_of(mat.values.form().type));
}

void check_square(const MatState& mat) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  if (!(sparsity.row_set == sparsity.column_set))
    refuse(mat, "rows of set {}, columns of {}, expected the same set", sparsity.row_set.name(),
           sparsity.column_set.name());
  if (sparsity.row_dim != sparsity.column_dim)
    refuse(mat, "blocks of {} x {}, expected square ones", sparsity.row_dim, sparsity.column_dim);
}

void check_rows(const MatState& mat, const Subset& rows) {
  const auto& row_set = Handles::state(mat.sparsity)->row_set;
  if (!(rows.superset() == row_set))
    refuse(mat, "rows of set {}, expected {}", rows.superset().name(), row_set.name());
}

void check_product(const MatState& mat, const DatState& x, const DatState& y) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  check_vector(mat, x, sparsity.column_set, sparsity.column_dim);
  check_vector(mat, y, sparsity.row_set, sparsity.row_dim);
  if (&x == &y) refuse(mat, "dat {} is both x and y, expected two", x.name);
}

}  // namespace kiln::mesh
