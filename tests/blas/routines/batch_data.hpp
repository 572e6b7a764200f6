#pragma once

#include <vector>

#include "blas/routines/level3.hpp"

// What the tests of batches share.
namespace kiln::blas::testing {

/// A matrix for each item of a batch, in one buffer; what lies between them is compared, too.
template <class T>
class ItemsData {
 public:
  /// rows x columns, lines `gap` elements longer than they need be. `apart`: more elements than an
  /// item takes from one to the next; -1: all items have the same matrix.
  ItemsData(Order order, std::size_t rows, std::size_t columns, std::size_t items, std::size_t gap,
            int apart, unsigned seed)
      : order_(order),
        ld_((order == Order::column_major ? rows : columns) + gap),
        stride_(apart < 0 ? 0
                          : ld_ * (order == Order::column_major ? columns : rows) +
                                static_cast<std::size_t>(apart)),
        data_(OperandData<T>::vector(
            ld_ * (order == Order::column_major ? columns : rows) + (items - 1) * stride_, 1,
            seed % 3, seed)) {}

  std::size_t at(std::size_t item, std::size_t i, std::size_t j) const {
    return data_.offset() + item * stride_ +
           (order_ == Order::column_major ? j * ld_ + i : i * ld_ + j);
  }
  /// op(item's matrix).
  Element element(std::size_t item, Transpose trans) const {
    return applied(
        [this, item](std::size_t i, std::size_t j) { return Wide(data_.all()[at(item, i, j)]); },
        trans);
  }
  Operand upload() {
    Operand operand = data_.upload();
    operand.stride = static_cast<std::int64_t>(ld_);
    operand.batch_stride = static_cast<std::int64_t>(stride_);
    return operand;
  }
  std::size_t stride() const { return stride_; }
  std::vector<T>& all() { return data_.all(); }
  OperandData<T>& data() { return data_; }

 private:
  Order order_;
  std::size_t ld_, stride_;
  OperandData<T> data_;
};

/// How the operands of a batch lie.
struct Gaps {
  std::size_t lines = 0;    ///< elements between the lines
  int a = 0, b = 0, c = 0;  ///< ItemsData's `apart`
};

/// The operands of a batch of products.
template <class T>
struct ProductData {
  ProductData(const Call& call, const Gaps& gaps)
      : a(call.order, is_as_is(call.trans_a) ? call.m : call.k,
          is_as_is(call.trans_a) ? call.k : call.m, call.batch, gaps.lines, gaps.a, 1),
        b(call.order, is_as_is(call.trans_b) ? call.k : call.n,
          is_as_is(call.trans_b) ? call.n : call.k, call.batch, gaps.lines, gaps.b, 2),
        c(call.order, call.m, call.n, call.batch, gaps.lines, gaps.c, 3) {}
  static bool is_as_is(Transpose trans) { return trans == Transpose::none; }

  void upload(Call& call) {
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
  }
  /// Writes what an item's C should be. `place`: the places of its matrices, which are items' of
  /// the data.
  void expect(const Call& call, std::array<std::size_t, 3> place, Scalar alpha, Scalar beta,
              Expected<T>& expected) const {
    const auto left = a.element(place[0], call.trans_a), right = b.element(place[1], call.trans_b);
    const auto before = c.element(place[2], Transpose::none);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum;
        if (beta != Scalar(0)) sum.add(beta, before(i, j));
        if (alpha != Scalar(0))
          for (std::size_t k = 0; k < call.k; ++k) sum.add(Wide(alpha) * left(i, k), right(k, j));
        sum.terms += 2;  // the scalings
        expected.set(c.at(place[2], i, j), sum);
      }
  }

  ItemsData<T> a, b, c;
};

/// A product of many items; real scalars for real precisions.
template <class T>
Call batch_of_products(std::size_t m, std::size_t n, std::size_t k, std::size_t items) {
  Call call;
  call.routine = Routine::gemm;
  call.precision = precision_of<T>;
  call.m = m;
  call.n = n;
  call.k = k;
  call.batch = items;
  call.alpha = scalar_of<T>(-0.75, 0.5);
  call.beta = scalar_of<T>(1.25, -0.25);
  return call;
}

}  // namespace kiln::blas::testing
