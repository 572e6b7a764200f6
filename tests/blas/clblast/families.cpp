#include "blas/clblast/families.hpp"

#include <clblast_half.h>

#include <type_traits>

namespace clblast_test {
namespace {

using namespace clblast;

constexpr Layout by_columns = Layout::kColMajor;
constexpr Transpose not_transposed = Transpose::kNo, transposed = Transpose::kYes;
constexpr Triangle lower = Triangle::kLower;
constexpr Diagonal diagonal = Diagonal::kNonUnit;
constexpr Side left = Side::kLeft;
constexpr KernelMode mode = KernelMode::kCrossCorrelation;

template <class T>
T number(float value) {
  if constexpr (std::is_same_v<T, cl_half>)
    return FloatToHalf(value);
  else
    return T(value);
}
template <class T>
constexpr bool is_half = std::is_same_v<T, cl_half>;
template <class T>
constexpr bool is_complex = !is_half<T> && !std::is_floating_point_v<T>;

template <class T>
std::string letter() {
  return is_half<T>                               ? "H"
         : std::is_same_v<T, float>               ? "S"
         : std::is_same_v<T, double>              ? "D"
         : std::is_same_v<T, std::complex<float>> ? "C"
                                                  : "Z";
}

#define WITH_STEP(x) o.x.memory, o.x.offset, o.x.step
#define WITHOUT_STEP(x) o.x.memory, o.x.offset
#define QUEUE o.queue, o.event

/// Collects families; the macros below are its uses.
template <class T>
struct List {
  std::vector<Family> all;
  T alpha = number<T>(0.5f), beta = number<T>(-0.25f);

  template <class Call>
  void add(const std::string& name, const std::string& checked, Call call) {
    all.push_back(
        {letter<T>() + name, checked, [call, alpha = alpha, beta = beta](const Operands& o) {
           return call(o, o.n, alpha, beta);
         }});
  }
};
#define ADD(Name, checked, ...)                                               \
  list.add(#Name, checked, [](const Operands& o, size_t n, T alpha, T beta) { \
    (void)n, (void)alpha, (void)beta;                                         \
    return Name<T>(__VA_ARGS__, QUEUE);                                       \
  })

template <class T>
void add_level_1(List<T>& list) {
  ADD(Swap, "XY", n, WITH_STEP(x), WITH_STEP(y));
  ADD(Scal, "X", n, alpha, WITH_STEP(x));
  ADD(Copy, "XY", n, WITH_STEP(x), WITH_STEP(y));
  ADD(Axpy, "XY", n, alpha, WITH_STEP(x), WITH_STEP(y));
  ADD(Nrm2, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Asum, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Sum, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Amax, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Amin, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Max, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  ADD(Min, "Xz", n, WITHOUT_STEP(z), WITH_STEP(x));
  if constexpr (is_complex<T>) {
    ADD(Dotu, "XYz", n, WITHOUT_STEP(z), WITH_STEP(x), WITH_STEP(y));
    ADD(Dotc, "XYz", n, WITHOUT_STEP(z), WITH_STEP(x), WITH_STEP(y));
  } else {
    ADD(Dot, "XYz", n, WITHOUT_STEP(z), WITH_STEP(x), WITH_STEP(y));
    if constexpr (!is_half<T>) ADD(Rot, "XY", n, WITH_STEP(x), WITH_STEP(y), alpha, beta);
  }
}

template <class T>
void add_level_2(List<T>& list) {
  ADD(Gemv, "AXY", by_columns, transposed, n, n, alpha, WITH_STEP(a), WITH_STEP(x), beta,
      WITH_STEP(y));
  ADD(Gbmv, "AXY", by_columns, not_transposed, n, n, size_t{2}, size_t{1}, alpha, WITH_STEP(a),
      WITH_STEP(x), beta, WITH_STEP(y));
  ADD(Trmv, "AX", by_columns, lower, not_transposed, diagonal, n, WITH_STEP(a), WITH_STEP(x));
  ADD(Tbmv, "AX", by_columns, lower, not_transposed, diagonal, n, size_t{3}, WITH_STEP(a),
      WITH_STEP(x));
  ADD(Tpmv, "aX", by_columns, lower, not_transposed, diagonal, n, WITHOUT_STEP(a), WITH_STEP(x));
  if constexpr (!is_half<T>) {
    ADD(Trsv, "AX", by_columns, lower, not_transposed, diagonal, n, WITH_STEP(a), WITH_STEP(x));
    ADD(Tbsv, "AX", by_columns, lower, not_transposed, diagonal, n, size_t{3}, WITH_STEP(a),
        WITH_STEP(x));
    ADD(Tpsv, "aX", by_columns, lower, not_transposed, diagonal, n, WITHOUT_STEP(a), WITH_STEP(x));
  }
  if constexpr (is_complex<T>) {
    ADD(Hemv, "AXY", by_columns, lower, n, alpha, WITH_STEP(a), WITH_STEP(x), beta, WITH_STEP(y));
    ADD(Hbmv, "AXY", by_columns, lower, n, size_t{3}, alpha, WITH_STEP(a), WITH_STEP(x), beta,
        WITH_STEP(y));
    ADD(Hpmv, "aXY", by_columns, lower, n, alpha, WITHOUT_STEP(a), WITH_STEP(x), beta,
        WITH_STEP(y));
    ADD(Geru, "AXY", by_columns, n, n, alpha, WITH_STEP(x), WITH_STEP(y), WITH_STEP(a));
    ADD(Gerc, "AXY", by_columns, n, n, alpha, WITH_STEP(x), WITH_STEP(y), WITH_STEP(a));
    ADD(Her2, "AXY", by_columns, lower, n, alpha, WITH_STEP(x), WITH_STEP(y), WITH_STEP(a));
    ADD(Hpr2, "aXY", by_columns, lower, n, alpha, WITH_STEP(x), WITH_STEP(y), WITHOUT_STEP(a));
    using R = typename T::value_type;
    list.add("Her", "AX", [](const Operands& o, size_t n, T alpha, T) {
      return Her<R>(by_columns, lower, n, alpha.real(), WITH_STEP(x), WITH_STEP(a), QUEUE);
    });
    list.add("Hpr", "aX", [](const Operands& o, size_t n, T alpha, T) {
      return Hpr<R>(by_columns, lower, n, alpha.real(), WITH_STEP(x), WITHOUT_STEP(a), QUEUE);
    });
  } else {
    ADD(Symv, "AXY", by_columns, lower, n, alpha, WITH_STEP(a), WITH_STEP(x), beta, WITH_STEP(y));
    ADD(Sbmv, "AXY", by_columns, lower, n, size_t{3}, alpha, WITH_STEP(a), WITH_STEP(x), beta,
        WITH_STEP(y));
    ADD(Spmv, "aXY", by_columns, lower, n, alpha, WITHOUT_STEP(a), WITH_STEP(x), beta,
        WITH_STEP(y));
    ADD(Ger, "AXY", by_columns, n, n, alpha, WITH_STEP(x), WITH_STEP(y), WITH_STEP(a));
    ADD(Syr, "AX", by_columns, lower, n, alpha, WITH_STEP(x), WITH_STEP(a));
    ADD(Spr, "aX", by_columns, lower, n, alpha, WITH_STEP(x), WITHOUT_STEP(a));
    ADD(Syr2, "AXY", by_columns, lower, n, alpha, WITH_STEP(x), WITH_STEP(y), WITH_STEP(a));
    ADD(Spr2, "aXY", by_columns, lower, n, alpha, WITH_STEP(x), WITH_STEP(y), WITHOUT_STEP(a));
  }
}

template <class T>
void add_level_3(List<T>& list) {
  ADD(Gemm, "ABC", by_columns, not_transposed, transposed, n, n, n, alpha, WITH_STEP(a),
      WITH_STEP(b), beta, WITH_STEP(c));
  ADD(Symm, "ABC", by_columns, left, lower, n, n, alpha, WITH_STEP(a), WITH_STEP(b), beta,
      WITH_STEP(c));
  ADD(Syrk, "AC", by_columns, lower, not_transposed, n, n, alpha, WITH_STEP(a), beta, WITH_STEP(c));
  ADD(Syr2k, "ABC", by_columns, lower, not_transposed, n, n, alpha, WITH_STEP(a), WITH_STEP(b),
      beta, WITH_STEP(c));
  ADD(Trmm, "AB", by_columns, left, lower, not_transposed, diagonal, n, n, alpha, WITH_STEP(a),
      WITH_STEP(b));
  if constexpr (!is_half<T>)
    ADD(Trsm, "AB", by_columns, left, lower, not_transposed, diagonal, n, n, alpha, WITH_STEP(a),
        WITH_STEP(b));
  if constexpr (is_complex<T>) {
    ADD(Hemm, "ABC", by_columns, left, lower, n, n, alpha, WITH_STEP(a), WITH_STEP(b), beta,
        WITH_STEP(c));
    using R = typename T::value_type;
    list.add("Herk", "AC", [](const Operands& o, size_t n, T alpha, T beta) {
      return Herk<R>(by_columns, lower, not_transposed, n, n, alpha.real(), WITH_STEP(a),
                     beta.real(), WITH_STEP(c), QUEUE);
    });
    list.add("Her2k", "ABC", [](const Operands& o, size_t n, T alpha, T beta) {
      return Her2k<T, R>(by_columns, lower, not_transposed, n, n, alpha, WITH_STEP(a), WITH_STEP(b),
                         beta.real(), WITH_STEP(c), QUEUE);
    });
  }
}

/// Images of one channel and n x n points; a filter of 2 x 2 has (n - 1)^2 places there.
#define WINDOW(kernel)                                                                    \
  mode, size_t{1}, n, n, size_t{kernel}, size_t{kernel}, size_t{0}, size_t{0}, size_t{1}, \
      size_t{1}, size_t{1}, size_t {                                                      \
    1                                                                                     \
  }

template <class T>
void add_extras(List<T>& list) {
  ADD(Had, "XY", n, alpha, WITH_STEP(x), WITH_STEP(y), beta, o.z.memory, o.z.offset, size_t{1});
  ADD(Omatcopy, "AB", by_columns, transposed, n, n, alpha, WITH_STEP(a), WITH_STEP(b));
  ADD(Im2col, "", WINDOW(1), WITHOUT_STEP(a), WITHOUT_STEP(b));
  ADD(Col2im, "", WINDOW(1), WITHOUT_STEP(a), WITHOUT_STEP(b));
  if constexpr (!is_complex<T>)
    ADD(Convgemm, "", WINDOW(2), size_t{1}, size_t{1}, WITHOUT_STEP(a), WITHOUT_STEP(b),
        WITHOUT_STEP(c));
  list.add("AxpyBatched", "XY", [](const Operands& o, size_t n, T alpha, T beta) {
    const T alphas[] = {alpha, beta};
    const size_t x[] = {o.x.offset, o.x.offset}, y[] = {o.y.offset, o.y.offset};
    return AxpyBatched<T>(n, alphas, o.x.memory, x, o.x.step, o.y.memory, y, o.y.step, 2, QUEUE);
  });
  list.add("GemmBatched", "ABC", [](const Operands& o, size_t n, T alpha, T beta) {
    const T alphas[] = {alpha, beta}, betas[] = {beta, alpha};
    const size_t a[] = {o.a.offset, o.a.offset}, b[] = {o.b.offset, o.b.offset},
                 c[] = {o.c.offset, o.c.offset};
    return GemmBatched<T>(by_columns, not_transposed, not_transposed, n, n, n, alphas, o.a.memory,
                          a, o.a.step, o.b.memory, b, o.b.step, betas, o.c.memory, c, o.c.step, 2,
                          QUEUE);
  });
  ADD(GemmStridedBatched, "ABC", by_columns, not_transposed, not_transposed, n, n, n, alpha,
      WITH_STEP(a), size_t{0}, WITH_STEP(b), size_t{0}, beta, WITH_STEP(c), size_t{0}, size_t{1});
}

}  // namespace

template <class T>
std::vector<Family> families() {
  List<T> list;
  add_level_1(list);
  add_level_2(list);
  add_level_3(list);
  add_extras(list);
  return std::move(list.all);
}

template std::vector<Family> families<float>();
template std::vector<Family> families<cl_half>();

std::vector<Family> all_families() {
  std::vector<Family> all;
  for (auto& some : {families<float>(), families<double>(), families<std::complex<float>>(),
                     families<std::complex<double>>(), families<cl_half>()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace clblast_test
