#include <algorithm>
#include <vector>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/stored_product.hpp"

// Products of integers on CPUs, whose panels hold floats or, where there is an instruction for
// that, bytes (templates/byte_tile.cl): both are exact, and so have the same bits.
namespace kiln::blas::testing {
namespace {

using enum Storage;

/// The form of any CPU, the device's own, and that of AVX2, whose instruction AVX-512 has as well.
std::vector<const char*> all_forms() {
  std::vector<const char*> forms{"cpu", ""};
  const Device& device = Machine::get().device();
  if (device.avx2 || device.vnni) forms.push_back("cpu_pairs");
  return forms;
}

Product bytes(std::size_t m, std::size_t n, std::size_t k, const char* form) {
  Product p = product(m, n, k, {int8, int8, int32});
  p.call.alpha = 1;
  p.call.beta = 0;
  p.form = form;
  return p;
}

TEST(ByteProduct, is_exact_around_the_sizes_of_units_tiles_and_blocks) {
  for (const char* form : all_forms()) {
    for (std::size_t k = 1; k < 12; ++k) check(bytes(33, 25, k, form));
    for (const std::size_t k : {63, 64, 65, 255, 1023, 1024, 1025, 2051})
      check(bytes(17, 13, k, form));
    for (const std::size_t size : {12, 31, 32, 64, 65, 130}) check(bytes(size, size + 3, 77, form));
  }
}

TEST(ByteProduct, is_exact_for_all_orders_transposes_and_scalars) {
  for (const char* form : all_forms())
    for (const auto order : orders)
      for (const auto trans_a : transposes)
        for (const auto trans_b : transposes)
          for (const auto& [alpha, beta] : {std::pair{1, 0}, {-3, 0}, {1, 2}}) {
            Product p = bytes(70, 39, 83, form);
            p.call.order = order;
            p.call.trans_a = trans_a;
            p.call.trans_b = trans_b;
            p.call.alpha = alpha;
            p.call.beta = beta;
            p.queues = 2;
            check(p);
          }
}

TEST(ByteProduct, takes_kinds_that_differ) {
  for (const char* form : all_forms())
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      Product p = bytes(45, 38, 70, form);
      p.call.trans_a = p.call.trans_b = trans;
      p.kinds = {int8, int4, int32};
      check(p);
      p.kinds = {int4, int8, int32};
      check(p);
      p.kinds = {int8, int8, half};
      p.call.alpha = 1.0 / 4096;
      p.call.epilogue = {Along::rows, Along::none, Activation::relu, false};
      check(p);
    }
}

/// A matrix all of whose elements are `value`.
StoredData filled(std::size_t rows, std::size_t columns, std::uint8_t value) {
  StoredData data(int8, Order::column_major, rows, columns, 1);
  std::fill(data.bytes().begin(), data.bytes().end(), value);
  return data;
}

TEST(ByteProduct, the_largest_and_smallest_bytes_are_exact) {
  constexpr std::size_t m = 37, n = 29;
  constexpr std::uint8_t extremes[] = {0x80, 0x7f, 0xff};
  for (const char* form : all_forms())
    for (const std::uint8_t left : extremes)
      for (const std::uint8_t right : extremes)
        // 131,072 products of -128 and -128 would be 2^31.
        for (const std::size_t k : {3, 1026, 131071}) {
          StoredData a = filled(m, k, left), b = filled(k, n, right),
                     c(int32, Order::column_major, m, n, 3);
          Call call = bytes(m, n, k, form).call;
          call.routine = Routine::gemm;
          call.precision = Precision::s;
          call[Slot::a] = a.upload();
          call[Slot::b] = b.upload();
          call[Slot::c] = c.upload();
          ASSERT_EQ(run(call, 1, form), Status::success);
          ExpectedStored expected(c);
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
              expected.set(c.at(i, j), static_cast<double>(k) * a.element(0, 0) * b.element(0, 0),
                           0);
          EXPECT_EQ(expected.difference(), "") << text_of(call) << " form " << form;
        }
}

TEST(ByteProduct, results_beyond_an_int32_hold_at_their_largest) {
  constexpr std::size_t m = 40, n = 30, k = 7;
  for (const char* form : all_forms())
    for (const int alpha : {1 << 20, -(1 << 20)}) {
      StoredData a = filled(m, k, 0x80), b(int8, Order::column_major, k, n, 4),
                 c(int32, Order::column_major, m, n, 3);
      Call call = bytes(m, n, k, form).call;
      call.routine = Routine::gemm;
      call.precision = Precision::s;
      call.alpha = alpha;
      call.beta = 5;
      call[Slot::a] = a.upload();
      call[Slot::b] = b.upload();
      call[Slot::c] = c.upload();
      ASSERT_EQ(run(call, 1, form), Status::success);
      ExpectedStored expected(c);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::size_t l = 0; l < k; ++l) sum += a.element(i, l) * b.element(l, j);
          const double value = alpha * sum + 5 * c.element(i, j);
          expected.set(c.at(i, j), std::clamp(value, -0x1p31, 0x1p31 - 1), 0);
        }
      EXPECT_EQ(expected.difference(), "") << alpha << " form " << form;
    }
}

TEST(ByteProduct, triangles_and_symmetric_matrices_are_exact) {
  for (const char* form : all_forms())
    for (const auto side : sides)
      for (const auto uplo : uplos)
        for (const auto diag : diags)
          for (const Routine routine : {Routine::symm, Routine::trmm, Routine::syrk}) {
            if (routine != Routine::trmm && diag == Diag::unit) continue;
            const std::size_t m = 43, n = 71, size = side == Side::left ? m : n;
            const bool is_update = routine == Routine::syrk, is_triangle = routine == Routine::trmm;
            StoredData a(int8, Order::column_major, is_update ? n : size, is_update ? m : size, 3),
                b(int8, Order::column_major, m, n, 4),
                c(int32, Order::column_major, is_update ? n : m, n, 5);
            Call call;
            call.routine = routine;
            call.precision = Precision::s;
            call.side = side;
            call.uplo = uplo;
            call.diag = diag;
            call.m = m;
            call.n = n;
            call.k = m;
            call.alpha = is_triangle ? 1.0 / 1024 : 3;
            call.beta = -2;
            call[Slot::a] = a.upload();
            call[Slot::b] = b.upload();
            if (!is_triangle) call[Slot::c] = c.upload();
            ASSERT_EQ(run(call, 1, form), Status::success);
            const auto special = [&](std::size_t i, std::size_t j) {
              if (is_triangle && i == j && diag == Diag::unit) return 1.0;
              if (is_stored(uplo, i, j)) return a.element(i, j);
              return routine == Routine::symm ? a.element(j, i) : 0.0;
            };
            StoredData& result = is_triangle ? b : c;
            ExpectedStored expected(result);
            for (std::size_t i = 0; i < (is_update ? n : m); ++i)
              for (std::size_t j = 0; j < n; ++j) {
                if (is_update && !is_stored(uplo, i, j)) continue;
                double sum = 0;
                for (std::size_t k = 0; k < (is_update ? m : size); ++k)
                  sum += is_update            ? a.element(i, k) * a.element(j, k)
                         : side == Side::left ? special(i, k) * b.element(k, j)
                                              : b.element(i, k) * special(k, j);
                sum *= call.alpha.real();
                if (!is_triangle) sum -= 2 * c.element(i, j);
                // Divided by 1024 and rounded to a byte: exact, too, as sums are below 2^24.
                expected.set(result.at(i, j), sum, 0);
              }
            EXPECT_EQ(expected.difference(), "") << text_of(call) << " form " << form;
          }
}

TEST(ByteProduct, the_form_with_panels_of_bytes_is_of_devices_that_have_the_instruction) {
  const Device& device = Machine::get().device();
  const ProductForm of_bytes{int8, int8, int32}, of_halves{half, int8, int32};
  if (device.type == Device::Type::cpu) {
    EXPECT_EQ(gemm_form(device, of_bytes), device.vnni   ? "cpu_vnni"
                                           : device.avx2 ? "cpu_pairs"
                                                         : "cpu");
    EXPECT_EQ(gemm_form(device, of_halves), "cpu");
    EXPECT_EQ(gemm_form(device), "cpu");
  }
  Device other;
  other.type = Device::Type::cpu;
  EXPECT_EQ(gemm_form(other, of_bytes), "cpu");
  other.avx2 = true;
  EXPECT_EQ(gemm_form(other, of_bytes), "cpu_pairs");
  other.vnni = true;
  EXPECT_EQ(gemm_form(other, of_bytes), "cpu_vnni");
  EXPECT_EQ(gemm_form(other, of_halves), "cpu");
}

}  // namespace
}  // namespace kiln::blas::testing
