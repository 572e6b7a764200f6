#pragma once

#include <vector>

#include "mesh/object/state.hpp"

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
  void part_with(const void* state) {
    std::erase_if(all_, [&](const Product& product) {
      return product.mat == state || product.x == state || product.y == state;
    });
  }
  const std::vector<Product>& all() const { return all_; }

 private:
  std::vector<Product> all_;
};

}  // namespace kiln::mesh
