#pragma once

#include <memory>
#include <vector>

#include "mesh/loop/loop_session.hpp"

namespace kiln::mesh {

/// Whether components lie in arrays of their own.
inline bool is_soa(const DatState& dat) {
  return dat.data.form().layout == DataLayout::soa && dat.data.form().dim > 1;
}

/// y := A x, as it was computed last.
struct Product {
  MatState* mat = nullptr;
  DatState *x = nullptr, *y = nullptr;
};

/// The products that a Session has computed: of each matrix and layouts of vectors the last one.
/// One thread.
class Products {
 public:
  void note(MatState& mat, DatState& x, DatState& y) {
    for (Product& known : all_)
      if (known.mat == &mat && is_soa(*known.x) == is_soa(x) && is_soa(*known.y) == is_soa(y)) {
        known = {&mat, &x, &y};
        return;
      }
    all_.push_back({&mat, &x, &y});
  }
  /// Forgets those with a state that goes.
  void forget(const void* state) {
    std::erase_if(all_, [&](const Product& product) {
      return product.mat == state || product.x == state || product.y == state;
    });
  }
  const std::vector<Product>& all() const { return all_; }

 private:
  std::vector<Product> all_;
};

/// What is done to matrices, other than assembling them.
enum class MatrixOperation : std::uint8_t {
  multiply,
  diagonal,
  set_diagonal,
  change_rows,
  zero,
  zero_rows_columns,
  count
};

/// What one operation on the matrices of one name came to so far, for Mesh::report(). The
/// Session's.
struct MatrixWork {
  LoopReport report;
  LaunchTimes times;
  const MatrixKernels* kernels = nullptr;  ///< those that report.form is of
  bool is_timed = false;  ///< even where the Session's options do not ask for times

  /// The Session's for this matrix; made at the first call.
  static MatrixWork& of(MatState& mat, MatrixOperation operation);

  LoopReport now();
  void clear();
};

/// Bytes of a product, each datum once; what is added to twice.
std::size_t multiply_bytes(const MatState& mat, bool adds);
/// Of reading or setting the owned rows' diagonal, with the numbers that go there or come from it.
std::size_t diagonal_bytes(const MatState& mat);
/// Of clearing rows, of setting their diagonal. Null: all rows.
std::size_t rows_bytes(const MatState& mat, const SubsetState* rows, bool clears, bool sets);
/// Of clearing rows and the columns of their numbers: all indices, and these entries.
std::size_t rows_columns_bytes(const MatState& mat, const SubsetState& rows);

/// A Session with what matrices keep in it; the one that a Mesh makes. One thread at a time.
struct MatrixSession final : LoopSession {
  MatrixSession(const Mesh::Options& options, const Runtime& runtime);
  ~MatrixSession() override;

  /// Every Session is one: a Mesh makes no others.
  static MatrixSession& of(Session& session) { return static_cast<MatrixSession&>(session); }

  std::vector<std::weak_ptr<SparsityState>> sparsities;        ///< those that are still held
  std::vector<std::unique_ptr<MatrixKernels>> matrix_kernels;  ///< one for each shape that was used
  std::vector<std::unique_ptr<MatrixWork>> matrix_work;        ///< one for each name that was used
  /// Grows when products were tuned: matrices look for their kernels again.
  std::uint64_t matrix_tunings = 0;
  Products products;

 protected:
  void forget(const void* state, std::uint64_t id) override;
};

/// Has a Resolver know how the programs of loops and matrices are written.
void add_generators(Resolver& resolver);

}  // namespace kiln::mesh
