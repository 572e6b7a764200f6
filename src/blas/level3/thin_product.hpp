#pragma once

#include <optional>

#include "blas/call.hpp"

namespace kiln::blas {

/// A product whose result is one row or one column, as what it is: a matrix times a vector.
struct ThinProduct {
  Call call;                ///< gemv
  Slot matrix{}, vector{};  ///< which of the product's operands are a and x; c is y

  /// Nothing for other products, for those without depth, which only scale the result, and where
  /// the vector would have to be conjugated, which GEMV cannot.
  static std::optional<ThinProduct> of(const Call& gemm);
  Slot original(Slot slot) const;
};

}  // namespace kiln::blas
