// symm, hemm, trmm and trsm: a square matrix with a structure, on either side of another one
#include "blas/api/library.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/level3.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class OneSided : public ::testing::Test {
 public:
  explicit OneSided() = default;

  static Call prepared(Call call) {
    call.precision = precision_of<T>;
    call.alpha = scalar(call.precision, 0.75, 0.5);
    call.beta = scalar(call.precision, 1.25, -0.25);
    return call;
  }
  static OperandData<T> square(const Call& call) {
    const std::size_t size = call.side == Side::left ? call.m : call.n;
    auto a = matrix_data<T>(call.order, size, size, 1);
    constexpr auto nan = std::numeric_limits<Real<T>>::quiet_NaN();
    // What the routine must not read: the other triangle, and ones of the diagonal.
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        auto& element = a.all()[a.at(call.order, i, j)];
        const bool triangular = call.routine == Routine::trmm || call.routine == Routine::trsm;
        if (!is_stored(call.uplo, i, j) || (triangular && call.diag == Diag::unit && i == j))
          element = nan;
        else if (call.routine == Routine::trsm)
          // Solutions stay moderate where the diagonal outweighs the rest.
          element = i == j ? element + T(3) : element / Real<T>(static_cast<Real<T>>(size));
      }
    return a;
  }
  /// A times column j of B, or row i of B times A.
  static Sum product(const Call& call, const Element& a, const Element& b, std::size_t i,
                     std::size_t j) {
    Sum sum;
    const std::size_t size = call.side == Side::left ? call.m : call.n;
    for (std::size_t k = 0; k < size; ++k)
      call.side == Side::left ? sum.add(a(i, k), b(k, j)) : sum.add(b(i, k), a(k, j));
    return sum;
  }

  static void check_symmetric(Call call, std::size_t queues) {
    call = prepared(call);
    auto a = square(call);
    auto b = matrix_data<T>(call.order, call.m, call.n, 2);
    auto c = matrix_data<T>(call.order, call.m, call.n, 3);
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
    const auto whole =
        symmetric(element_of(a, call.order), call.uplo, call.routine == Routine::hemm);
    const auto other = element_of(b, call.order);
    Expected<T> expected(c);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum = product(call, whole, other, i, j);
        sum.value *= Wide(call.alpha);
        sum.magnitude *= std::abs(Wide(call.alpha));
        sum.add(call.beta, c.all()[c.at(call.order, i, j)]);
        expected.set(c.at(call.order, i, j), sum);
      }
    EXPECT_EQ(expected.difference(c.download()), "") << text_of(call) << " queues " << queues;
  }

  /// `tiles`: of the form of products for GPUs, which then is tried; null: what the device has.
  static void check_product(Call call, std::size_t queues, const Parameters* tiles = nullptr) {
    call = prepared(call);
    auto a = square(call);
    auto b = matrix_data<T>(call.order, call.m, call.n, 2);
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    if (tiles == nullptr) {
      ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
    } else {
      const GivenParameters given{GemmGenerator().family(), *tiles};
      const Execution execution{Machine::get().queues()};
      Machine::get().library("gpu").build(call, execution, &given)->run(call, execution);
    }
    const auto op =
        applied(triangular(element_of(a, call.order), call.uplo, call.diag), call.trans_a);
    const auto other = element_of(b, call.order);
    Expected<T> expected(b);
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        Sum sum = product(call, op, other, i, j);
        sum.value *= Wide(call.alpha);
        sum.magnitude *= std::abs(Wide(call.alpha));
        expected.set(b.at(call.order, i, j), sum);
      }
    EXPECT_EQ(expected.difference(b.download()), "") << text_of(call);
  }

  /// By the residual: op(A) X must be alpha B, up to the rounding of |op(A)| |X|. Looks at every
  /// `stride`-th row and column.
  static void check_solve(Call call, std::size_t queues, std::size_t stride = 1) {
    call = prepared(call);
    auto a = square(call);
    const auto before = matrix_data<T>(call.order, call.m, call.n, 2);
    auto b = before;
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    ASSERT_EQ(run(call, queues), Status::success) << text_of(call);
    b.all() = b.download();
    const auto op =
        applied(triangular(element_of(a, call.order), call.uplo, call.diag), call.trans_a);
    const auto solution = element_of(b, call.order);
    for (std::size_t i = 0; i < call.m; i += stride)
      for (std::size_t j = 0; j < call.n; j += stride) {
        Sum sum = product(call, op, solution, i, j);
        const Wide wanted = Wide(call.alpha) * Wide(before.all()[before.at(call.order, i, j)]);
        sum.magnitude += std::abs(wanted);
        const auto off = std::abs(sum.value - wanted);
        // Inverted blocks cost a small factor against substitution.
        ASSERT_LE(off, 4 * sum.template bound<T>()) << text_of(call) << " at " << i << ',' << j;
      }
  }

  /// Two for one of the sizes that are large enough to be shared out.
  static std::size_t queues_for(const Call& call) { return call.m == 131 ? 2 : 1; }

  template <class Check>
  static void sweep(Routine routine, bool has_trans, Check check) {
    for (const auto order : orders)
      for (const auto side : sides)
        for (const auto uplo : uplos)
          for (const auto trans : transposes)
            for (const auto diag : diags) {
              if (!has_trans && (trans != Transpose::none || diag == Diag::unit)) continue;
              for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1},
                                         {5, 9},
                                         {37, 21},
                                         {66, 131},
                                         {131, 67}}) {
                Call call;
                call.routine = routine;
                call.order = order;
                call.side = side;
                call.uplo = uplo;
                call.trans_a = trans;
                call.diag = diag;
                call.m = m;
                call.n = n;
                check(call);
              }
            }
  }
};
TYPED_TEST_SUITE(OneSided, Precisions);

TYPED_TEST(OneSided, symm) {
  this->sweep(Routine::symm, false,
              [&](const Call& call) { this->check_symmetric(call, this->queues_for(call)); });
}
template <class T>
class HermitianSided : public OneSided<T> {};
TYPED_TEST_SUITE(HermitianSided, ComplexPrecisions);
TYPED_TEST(HermitianSided, hemm) {
  this->sweep(Routine::hemm, false,
              [&](const Call& call) { this->check_symmetric(call, this->queues_for(call)); });
}
TYPED_TEST(OneSided, trmm) {
  this->sweep(Routine::trmm, true,
              [&](const Call& call) { this->check_product(call, this->queues_for(call)); });
}
// Steps along the depth end where a tile of a triangle does only if they divide its rows.
TYPED_TEST(OneSided, trmm_by_steps_that_do_not_divide_a_tile_is_right) {
  const Parameters tiles{{"rows", 64}, {"columns", 64}, {"depth", 12}, {"stages", 2}};
  Call call;
  call.routine = Routine::trmm;
  call.m = call.n = 150;
  for (const auto side : sides)
    for (const auto uplo : uplos) {
      call.side = side;
      call.uplo = uplo;
      this->check_product(call, 1, &tiles);
    }
}
TYPED_TEST(OneSided, trsm) {
  this->sweep(Routine::trsm, true,
              [&](const Call& call) { this->check_solve(call, this->queues_for(call)); });
}
// Large enough for CPUs of some cores to solve for all unknowns in one launch, over several blocks
// of them and several stretches of what is known.
TYPED_TEST(OneSided, trsm_of_many_unknowns) {
  Call call;
  call.routine = Routine::trsm;
  for (const auto side : sides)
    for (const auto uplo : uplos)
      for (const auto trans : transposes) {
        call.side = side;
        call.uplo = uplo;
        call.trans_a = trans;
        call.m = side == Side::left ? 717 : 133;
        call.n = side == Side::left ? 133 : 717;
        this->check_solve(call, 1, 17);
      }
}

}  // namespace
}  // namespace kiln::blas::testing
