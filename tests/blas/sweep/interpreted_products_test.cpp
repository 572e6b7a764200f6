#include "blas/routines/batch_data.hpp"
#include "blas/routines/stored_product.hpp"

// Products of all kinds of elements, with what comes after them, of a few columns, in batches and
// by way of bytes, for an interpreter that watches every access (oclgrind), as sweep.hpp's
// Interpreted does for all routines of S, D, C and Z: sizes of which all tiles are cut.
namespace kiln::blas::testing {
namespace {

using enum Storage;

TEST(InterpretedProduct, of_each_kind_is_right) {
  constexpr std::array<Storage, 7> kinds{float32, half, bfloat16, e4m3, e5m2, int8, int4};
  for (const Storage kind : kinds)
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      Product p = product(19, 13, 9, {kind, kind, kind == int4 ? half : kind});
      p.call.trans_a = trans;
      p.call.trans_b = trans;
      check(p);
    }
  Product p = product(19, 13, 35, {int8, int8, int32});
  p.call.alpha = p.call.beta = 1;
  check(p);
}

TEST(InterpretedProduct, with_an_epilogue_is_right) {
  for (const Storage kind : {float32, half}) {
    Product p = product(19, 13, 9, {kind, kind, kind});
    p.call.epilogue = {Along::rows, Along::columns, Activation::gelu, true};
    p.vectors = kind;
    check(p);
    p.call.order = Order::row_major;
    p.call.epilogue = {Along::columns, Along::none, Activation::silu, false};
    check(p);
    p.call.alpha = 0;
    check(p);
  }
}

TEST(InterpretedProduct, with_groups_is_right) {
  for (const Storage kind : {int4, int8})
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      Product p = product(18, 13, 70, {kind, half, half});
      p.call.trans_a = trans;
      p.call.group_a = 32;
      check(p);
    }
}

TEST(InterpretedProduct, of_few_columns_is_right) {
  for (const Storage kind : {float32, half, bfloat16, int8, int4})
    for (const auto trans : {Transpose::none, Transpose::transpose})
      for (const std::size_t few : {1, 3}) {
        Product p = product(67, few, 83, {kind, float32, half});
        p.call.trans_a = trans;
        check(p);
        p = product(few, 67, 83, {float32, kind, float32});
        p.call.trans_b = trans;
        check(p);
      }
  // Parts of a long depth, whose sums are joined.
  Product p = product(2, 2, 3000, {half, half, half});
  p.call.trans_a = Transpose::transpose;
  p.call.epilogue = {Along::rows, Along::none, Activation::relu, true};
  p.vectors = half;
  check(p);
  p = product(3, 1, 600, {int4, float32, float32});
  p.call.trans_a = Transpose::transpose;
  p.call.group_a = 64;
  check(p);
}

template <class T>
void check_batch(std::size_t m, std::size_t n, std::size_t k, Transpose trans) {
  auto call = batch_of_products<T>(m, n, k, 3);
  call.trans_a = call.trans_b = trans;
  ProductData<T> data(call, {.lines = 1, .c = 2});
  data.upload(call);
  ASSERT_EQ(run(call, 1), Status::success) << text_of(call);
  Expected<T> expected(data.c.data());
  for (std::size_t item = 0; item < call.batch; ++item)
    data.expect(call, {item, item, item}, call.alpha, call.beta, expected);
  EXPECT_EQ(expected.difference(data.c.data().download()), "") << text_of(call);
}

TEST(InterpretedProduct, of_batches_is_right) {
  for (const auto trans : {Transpose::none, Transpose::transpose})
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{2, 3, 1}, {9, 5, 7}, {23, 17, 11}}) {
      check_batch<float>(m, n, k, trans);
      check_batch<double>(m, n, k, trans);
      check_batch<std::complex<float>>(m, n, k, trans);
    }
  check_batch<std::complex<double>>(9, 5, 7, Transpose::conjugate);
}

TEST(InterpretedProduct, by_way_of_bytes_is_right) {
  Call call;
  call.routine = Routine::gemm;
  call.precision = Precision::d;
  call.m = 9;
  call.n = 10;
  call.k = 33;
  call.emulated = true;
  for (const auto trans : {Transpose::none, Transpose::transpose}) {
    call.trans_a = trans;
    const bool turned = trans != Transpose::none;
    auto a = matrix_data<double>(call.order, turned ? call.k : call.m, turned ? call.m : call.k, 1),
         b = matrix_data<double>(call.order, call.k, call.n, 2),
         c = matrix_data<double>(call.order, call.m, call.n, 3);
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    ASSERT_EQ(run(call, 1), Status::success);
    const auto left = applied(element_of(a, call.order), trans), right = element_of(b, call.order);
    Expected<double> expected(c);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum;
        for (std::size_t k = 0; k < call.k; ++k) sum.add(left(i, k), right(k, j));
        expected.set(c.at(call.order, i, j), sum);
      }
    EXPECT_EQ(expected.difference(c.download()), "");
  }
}

}  // namespace
}  // namespace kiln::blas::testing
