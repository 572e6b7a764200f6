#include "blas/routines/level3.hpp"
#include "blas/routines/stored_data.hpp"

// Routines by way of workspace: conversions both ways, exhaustively, and what a routine leaves
// alone.
namespace kiln::blas::testing {
namespace {

using enum Storage;

Call vector_call(Routine routine, StoredData& x, StoredData& y, std::size_t n) {
  Call call;
  call.routine = routine;
  call.precision = Precision::s;
  call.n = n;
  call[Slot::x] = x.upload();
  call[Slot::y] = y.upload();
  call[Slot::x].stride = call[Slot::y].stride = 1;
  return call;
}

TEST(Widened, every_number_of_every_kind_comes_out_as_what_it_means) {
  for (const Storage kind : {half, bfloat16, e4m3, e5m2, int8, int4}) {
    const std::size_t n = std::size_t{1} << bits_of(kind);
    StoredData x(kind, Order::column_major, n, 1, 0), y(native, Order::column_major, n, 1, 1);
    for (std::size_t i = 0; i < n; ++i) x.set(x.at(i, 0), static_cast<std::uint32_t>(i));
    ASSERT_EQ(run(vector_call(Routine::copy, x, y, n)), Status::success);
    const auto now = y.download();
    for (std::size_t i = 0; i < n; ++i) {
      const double found = meaning_of(native, StoredData::bits_at(native, now, y.at(i, 0))),
                   expected = meaning_of(kind, static_cast<std::uint32_t>(i));
      ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
          << static_cast<int>(kind) << " bits " << i << ": " << found << ", expected " << expected;
    }
  }
}

/// Numbers of all magnitudes, and those next to, on and between each two neighbours of a kind.
std::vector<float> telling_numbers(Storage kind) {
  std::vector<float> numbers{0.0F, -0.0F, 1e30F, -1e30F};
  const std::uint32_t step = bits_of(kind) > 8 ? 37 : 1;
  for (std::uint32_t bits = 0; bits + 1 < 1u << bits_of(kind); bits += step) {
    const double one = meaning_of(kind, bits), next = meaning_of(kind, bits + 1);
    if (!std::isfinite(one) || !std::isfinite(next)) continue;
    const auto middle = static_cast<float>((one + next) / 2);
    numbers.push_back(static_cast<float>(one));
    numbers.push_back(middle);
    numbers.push_back(std::nextafterf(middle, 1e38F));
    numbers.push_back(std::nextafterf(middle, -1e38F));
  }
  return numbers;
}

TEST(Widened, numbers_are_rounded_to_the_nearest_and_ties_to_even) {
  for (const Storage kind : {half, bfloat16, e4m3, e5m2, int8}) {
    const std::vector<float> numbers = telling_numbers(kind);
    const std::size_t n = numbers.size();
    StoredData x(native, Order::column_major, n, 1, 0), y(kind, Order::column_major, n, 1, 1);
    std::memcpy(&x.bytes()[x.at(0, 0) * 4], numbers.data(), n * 4);
    ASSERT_EQ(run(vector_call(Routine::copy, x, y, n)), Status::success);
    const auto now = y.download();
    for (std::size_t i = 0; i < n; ++i) {
      const double found = meaning_of(kind, StoredData::bits_at(kind, now, y.at(i, 0))),
                   expected = meaning_of(kind, nearest(kind, static_cast<double>(numbers[i])));
      ASSERT_EQ(found, expected) << static_cast<int>(kind) << ": " << numbers[i];
    }
  }
}

TEST(Widened, what_is_no_number_stays_so) {
  for (const Storage kind : {half, bfloat16, e4m3, e5m2}) {
    StoredData x(native, Order::column_major, 4, 1, 0), y(kind, Order::column_major, 4, 1, 1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(&x.bytes()[i * 4], &nan, 4);
    ASSERT_EQ(run(vector_call(Routine::copy, x, y, 4)), Status::success);
    const auto now = y.download();
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_TRUE(std::isnan(meaning_of(kind, StoredData::bits_at(kind, now, y.at(i, 0)))));
  }
}

TEST(Widened, vectors_may_run_backwards_and_apart) {
  for (const std::int64_t stride : {1, 3, -2}) {
    StoredData x(half, Order::column_major, 60, 1, 4), y(half, Order::column_major, 60, 1, 5);
    Call call = vector_call(Routine::axpy, x, y, 20);
    call.alpha = 0.5;
    call[Slot::x].stride = stride;
    call[Slot::y].stride = -1;
    ASSERT_EQ(run(call), Status::success);
    ExpectedStored expected(y);
    for (std::size_t i = 0; i < 20; ++i) {
      const std::size_t of_x = stride < 0 ? (19 - i) * 2 : i * static_cast<std::size_t>(stride);
      const double value = 0.5 * x.number(x.at(of_x, 0)) + y.number(y.at(19 - i, 0));
      expected.set(y.at(19 - i, 0), value, 1e-6);
    }
    EXPECT_EQ(expected.difference(), "") << stride;
  }
}

TEST(Widened, an_update_leaves_the_other_triangle_alone) {
  for (const auto order : orders)
    for (const auto uplo : uplos) {
      const std::size_t n = 21;
      StoredData a(bfloat16, order, n, n, 3), x(bfloat16, Order::column_major, n, 1, 4);
      Call call;
      call.routine = Routine::syr;
      call.precision = Precision::s;
      call.order = order;
      call.uplo = uplo;
      call.n = n;
      call.alpha = 0.25;
      call[Slot::a] = a.upload();
      call[Slot::x] = x.upload();
      call[Slot::x].stride = 1;
      ASSERT_EQ(run(call, 2), Status::success);
      ExpectedStored expected(a);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (is_stored(uplo, i, j))
            expected.set(a.at(i, j), 0.25 * x.element(i, 0) * x.element(j, 0) + a.element(i, j),
                         1e-6);
      EXPECT_EQ(expected.difference(), "");
    }
}

TEST(Widened, a_matrix_times_a_vector_is_right_on_several_queues) {
  for (const auto order : orders) {
    StoredData a(half, order, 70, 50, 3), x(half, Order::column_major, 50, 1, 4),
        y(half, Order::column_major, 70, 1, 5);
    Call call = vector_call(Routine::gemv, x, y, 50);
    call.m = 70;
    call.order = order;
    call.alpha = 1;
    call.beta = -1;
    call[Slot::a] = a.upload();
    ASSERT_EQ(run(call, 3), Status::success);
    ExpectedStored expected(y);
    for (std::size_t i = 0; i < 70; ++i) {
      double sum = -y.element(i, 0);
      for (std::size_t j = 0; j < 50; ++j) sum += a.element(i, j) * x.element(j, 0);
      expected.set(y.at(i, 0), sum, 1e-4);
    }
    EXPECT_EQ(expected.difference(), "");
  }
}

TEST(Widened, triangular_systems_are_solved) {
  StoredData a(half, Order::column_major, 40, 40, 3), b(half, Order::column_major, 40, 6, 4);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      a.set(a.at(i, j), nearest(half, i == j ? 2.0 : a.element(i, j) / 64));
  Call call;
  call.routine = Routine::trsm;
  call.precision = Precision::s;
  call.uplo = Uplo::lower;
  call.m = 40;
  call.n = 6;
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  ASSERT_EQ(run(call, 2), Status::success);
  ExpectedStored expected(b);
  for (std::size_t j = 0; j < 6; ++j) {
    std::vector<double> solved;
    for (std::size_t i = 0; i < 40; ++i) {
      double value = b.element(i, j);
      for (std::size_t k = 0; k < i; ++k) value -= a.element(i, k) * solved[k];
      solved.push_back(value / 2);
      expected.set(b.at(i, j), solved.back(), 1e-5);
    }
  }
  EXPECT_EQ(expected.difference(), "");
}

TEST(Widened, products_with_one_special_matrix_take_them_as_they_lie) {
  for (const Storage kind : {half, bfloat16, e4m3, e5m2, int8})
    for (const auto& [side, uplo] : {std::pair{Side::left, Uplo::upper},
                                     {Side::left, Uplo::lower},
                                     {Side::right, Uplo::upper},
                                     {Side::right, Uplo::lower}})
      for (const Routine routine : {Routine::symm, Routine::trmm, Routine::syrk, Routine::syr2k}) {
        const std::size_t m = 23, n = 31, size = side == Side::left ? m : n;
        const bool has_two = routine == Routine::syr2k;
        const bool is_update = routine == Routine::syrk || has_two;
        StoredData a(kind, Order::column_major, is_update ? n : size, is_update ? m : size, 3),
            b(kind, Order::column_major, has_two ? n : m, has_two ? m : n, 4),
            c(kind, Order::column_major, is_update ? n : m, n, 5);
        const double alpha = kind == int8 ? 1.0 / 4096 : 0.5;  // results of bytes are bytes
        Call call;
        call.routine = routine;
        call.precision = Precision::s;
        call.side = side;
        call.uplo = uplo;
        call.m = m;
        call.n = n;
        call.k = m;
        call.alpha = alpha;
        call.beta = 0.25;
        call[Slot::a] = a.upload();
        call[Slot::b] = b.upload();
        call[Slot::c] = c.upload();
        ASSERT_EQ(run(call, 2), Status::success);
        const auto special = [&](std::size_t i, std::size_t j) {
          if (is_stored(uplo, i, j)) return a.element(i, j);
          return routine == Routine::symm ? a.element(j, i) : 0.0;
        };
        StoredData& result = routine == Routine::trmm ? b : c;
        ExpectedStored expected(result);
        for (std::size_t i = 0; i < (is_update ? n : m); ++i)
          for (std::size_t j = 0; j < n; ++j) {
            if (is_update && !is_stored(uplo, i, j)) continue;
            double sum = 0;
            for (std::size_t k = 0; k < (is_update ? m : size); ++k)
              sum += has_two ? a.element(i, k) * b.element(j, k) + b.element(i, k) * a.element(j, k)
                     : is_update          ? a.element(i, k) * a.element(j, k)
                     : side == Side::left ? special(i, k) * b.element(k, j)
                                          : b.element(i, k) * special(k, j);
            sum *= alpha;
            if (routine != Routine::trmm) sum += 0.25 * c.element(i, j);
            expected.set(result.at(i, j), sum, 1e-4);
          }
        EXPECT_EQ(expected.difference(), "") << text_of(call) << " kind " << static_cast<int>(kind);
      }
}

/// The terms of an element of syr2k, with the factors in one order or the other.
struct Terms {
  double first, second;
  bool flipped;
};

/// C = (A B' + B A') / 2 + C / 4, of terms that are larger than their sum.
void check_terms(Storage kind, const Terms& terms, Order order, std::size_t queues) {
  const std::size_t n = 5, k = 3;
  StoredData a(native, order, n, k, 3), b(native, order, n, k, 4), c(kind, order, n, n, 5);
  const auto give = [](StoredData& to, std::size_t i, std::size_t j, double number) {
    const auto value = static_cast<float>(number);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    to.set(to.at(i, j), bits);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      give(a, i, j, i % 2 == 0 ? terms.first / 4 : 1);
      give(b, i, j, i % 2 == 0 ? terms.second / 2 : 2);
    }
  Call call;
  call.routine = Routine::syr2k;
  call.precision = Precision::s;
  call.order = order;
  call.uplo = Uplo::lower;
  call.n = n;
  call.k = k;
  call.alpha = 0.5;
  call.beta = 0.25;
  call[Slot::a] = (terms.flipped ? b : a).upload();
  call[Slot::b] = (terms.flipped ? a : b).upload();
  call[Slot::c] = c.upload();
  ASSERT_EQ(run(call, queues), Status::success);
  const double bound = kind == int32 ? 0.55 : 0.05;  // of the sum as a float, and to an integer
  ExpectedStored expected(c);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += a.element(i, l) * b.element(j, l) + b.element(i, l) * a.element(j, l);
      expected.set(c.at(i, j), 0.5 * sum + 0.25 * c.element(i, j), bound);
    }
  EXPECT_EQ(expected.difference(), "") << static_cast<int>(kind) << " " << terms.first << " "
                                       << terms.second << " " << terms.flipped;
}

// The first of the two products must not be rounded, nor saturate, before the second is added.
TEST(Widened, a_sum_of_two_products_is_rounded_once) {
  for (const auto order : orders)
    for (const bool flipped : {false, true})
      for (const std::size_t queues : {1, 2}) {
        for (const Storage kind : {int8, e4m3, e5m2, half, bfloat16, int32}) {
          check_terms(kind, {200, -190, flipped}, order, queues);
          check_terms(kind, {-200, 190, flipped}, order, queues);
        }
        check_terms(half, {80000, -79000, flipped}, order, queues);
      }
}

TEST(Widened, sums_of_integers_stay_exact_in_a_sum_of_two_products) {
  const std::size_t n = 20, k = 2100;  // sums beyond 2^24, which floats do not hold
  StoredData a(int8, Order::column_major, n, k, 3), b(int8, Order::column_major, n, k, 4),
      c(int32, Order::column_major, n, n, 5);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      a.set(a.at(i, j), static_cast<std::uint32_t>(127 - (i + j) % 3));
      b.set(b.at(i, j), static_cast<std::uint32_t>(126 - (i + 2 * j) % 5));
    }
  Call call;
  call.routine = Routine::syr2k;
  call.precision = Precision::s;
  call.uplo = Uplo::upper;
  call.n = n;
  call.k = k;
  call.alpha = 1;
  call.beta = 1;
  call[Slot::a] = a.upload();
  call[Slot::b] = b.upload();
  call[Slot::c] = c.upload();
  ASSERT_EQ(run(call), Status::success);
  ExpectedStored expected(c);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      double sum = c.element(i, j);
      for (std::size_t l = 0; l < k; ++l)
        sum += a.element(i, l) * b.element(j, l) + b.element(i, l) * a.element(j, l);
      expected.set(c.at(i, j), sum, 0);
    }
  EXPECT_EQ(expected.difference(), "");
}

}  // namespace
}  // namespace kiln::blas::testing
