#include "blas/sweep/openblas.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace kiln::blas::testing {

OpenBlas::OpenBlas() : handle_(::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)) {}

const OpenBlas& OpenBlas::get() {
  static const OpenBlas one;
  return one;
}

void* OpenBlas::address(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error("libopenblas.so.0 has no " + name);
  return found;
}

namespace {

/// "s", "d", "sc" or "dz": the letters of functions whose result is real.
std::string real_letters(Precision precision) {
  switch (precision) {
    case Precision::s:
      return "s";
    case Precision::d:
      return "d";
    case Precision::c:
      return "sc";
    case Precision::z:
      break;
  }
  return "dz";
}

template <class T>
void run_dot(const CblasCall<T>& c) {
  const int n = c.n, x = c.step(Slot::x), y = c.step(Slot::y);
  if constexpr (std::is_same_v<T, Real<T>>)
    *c.at(Slot::z) = c.library.template function<T(int, const T*, int, const T*, int)>(c.name())(
        n, c.at(Slot::x), x, c.at(Slot::y), y);
  else
    c(c.name(c.call.routine == Routine::dot ? "u_sub" : "_sub"), n, c.at(Slot::x), x, c.at(Slot::y),
      y, c.at(Slot::z));
}

template <class T>
void run_rotation(const CblasCall<T>& c) {
  const auto cosine = static_cast<Real<T>>(c.call.alpha.real()),
             sine = static_cast<Real<T>>(c.call.beta.real());
  const std::string of = std::is_same_v<T, Real<T>> ? "" : (sizeof(T) == 8 ? "s" : "d");
  c(std::string("cblas_") + letter(c.call.precision) + of + "rot", c.n, c.at(Slot::x),
    c.step(Slot::x), c.at(Slot::y), c.step(Slot::y), cosine, sine);
}

template <class T>
void run_scaling(const CblasCall<T>& c) {
  if (!c.call.real_alpha) return c(c.name(), c.n, c.alpha, c.at(Slot::x), c.step(Slot::x));
  const auto alpha = static_cast<Real<T>>(c.call.alpha.real());
  c(sizeof(T) == 8 ? "cblas_csscal" : "cblas_zdscal", c.n, alpha, c.at(Slot::x), c.step(Slot::x));
}

}  // namespace

template <class T>
void run_level_1(const CblasCall<T>& c) {
  const int x = c.step(Slot::x), y = c.step(Slot::y);
  const std::string letters = real_letters(c.call.precision);
  using Norm = Real<T>(int, const T*, int);
  switch (c.call.routine) {
    case Routine::swap:
    case Routine::copy:
      return c(c.name(), c.n, c.at(Slot::x), x, c.at(Slot::y), y);
    case Routine::scal:
      return run_scaling(c);
    case Routine::axpy:
      return c(c.name(), c.n, c.alpha, c.at(Slot::x), x, c.at(Slot::y), y);
    case Routine::dot:
    case Routine::dotc:
      return run_dot(c);
    case Routine::rot:
      return run_rotation(c);
    case Routine::rotm:
      return c(c.name(), c.n, c.at(Slot::x), x, c.at(Slot::y), y, c.at(Slot::z));
    case Routine::rotg: {  // CBLAS has none for complex numbers
      const Wide a = *c.at(Slot::x), b = *c.at(Slot::y);
      c(std::string(1, letter(c.call.precision)) + "rotg_", c.at(Slot::x), c.at(Slot::y),
        c.real_at(Slot::z), c.at(Slot::w));
      // What the rotation makes of a; OpenBLAS 0.3.26 has the rotation right, and this wrong.
      if constexpr (!std::is_same_v<T, Real<T>>)
        *c.at(Slot::x) = T(Wide(*c.real_at(Slot::z)) * a + Wide(*c.at(Slot::w)) * b);
      return;
    }
    case Routine::rotmg:
      return c(c.name(), c.at(Slot::a), c.at(Slot::b), c.at(Slot::x), *c.at(Slot::y),
               c.at(Slot::z));
    case Routine::asum:
      if constexpr (!std::is_same_v<T, Real<T>>) {
        // OpenBLAS 0.3.21's scasum is wrong with AVX-512; its sums of real types are right.
        const auto sum = c.library.template function<Real<T>(int, const Real<T>*, int)>(
            std::is_same_v<Real<T>, float> ? "cblas_sasum" : "cblas_dasum");
        const auto* parts = reinterpret_cast<const Real<T>*>(c.at(Slot::x));
        *c.real_at(Slot::z) = sum(c.n, parts, 2 * x) + sum(c.n, parts + 1, 2 * x);
        return;
      }
      [[fallthrough]];
    case Routine::nrm2:
      *c.real_at(Slot::z) = c.library.template function<Norm>(
          "cblas_" + letters + std::string(name_of(c.call.routine)))(c.n, c.at(Slot::x), x);
      return;
    default: {  // iamax, which counts from 0 here
      const auto index = c.library.template function<std::size_t(int, const T*, int)>(
          std::string("cblas_i") + letter(c.call.precision) + "amax")(c.n, c.at(Slot::x), x);
      const auto counted = static_cast<cl_uint>(index + 1);
      auto* memory = reinterpret_cast<char*>(c.memory[static_cast<std::size_t>(Slot::z)].data());
      std::memcpy(memory + c.call[Slot::z].offset * sizeof counted, &counted, sizeof counted);
    }
  }
}

template void run_level_1(const CblasCall<float>&);
template void run_level_1(const CblasCall<double>&);
template void run_level_1(const CblasCall<std::complex<float>>&);
template void run_level_1(const CblasCall<std::complex<double>>&);

template <class T>
void run_level_2(const CblasCall<T>& c) {
  T *a = c.at(Slot::a), *x = c.at(Slot::x), *y = c.at(Slot::y);
  const int lda = c.step(Slot::a), inc_x = c.step(Slot::x), inc_y = c.step(Slot::y);
  const int trans = number(c.call.trans_a), diag = number(c.call.diag);
  const auto real_alpha = static_cast<Real<T>>(c.call.alpha.real());
  switch (c.call.routine) {
    case Routine::gemv:
      return c(c.name(), c.order, trans, c.m, c.n, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::gbmv:
      return c(c.name(), c.order, trans, c.m, c.n, static_cast<int>(c.call.kl),
               static_cast<int>(c.call.ku), c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::symv:
    case Routine::hemv:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::spmv:
    case Routine::hpmv:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, a, x, inc_x, c.beta, y, inc_y);
    case Routine::sbmv:
    case Routine::hbmv:
      return c(c.name(), c.order, c.uplo, c.n, c.k, c.alpha, a, lda, x, inc_x, c.beta, y, inc_y);
    case Routine::trmv:
    case Routine::trsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, a, lda, x, inc_x);
    case Routine::tpmv:
    case Routine::tpsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, a, x, inc_x);
    case Routine::tbmv:
    case Routine::tbsv:
      return c(c.name(), c.order, c.uplo, trans, diag, c.n, c.k, a, lda, x, inc_x);
    case Routine::ger:
    case Routine::gerc:
      return c(c.name(is_complex(c.call.precision) && c.call.routine == Routine::ger ? "u" : ""),
               c.order, c.m, c.n, c.alpha, x, inc_x, y, inc_y, a, lda);
    case Routine::syr:
    case Routine::her:
      return c(c.name(), c.order, c.uplo, c.n, real_alpha, x, inc_x, a, lda);
    case Routine::spr:
    case Routine::hpr:
      return c(c.name(), c.order, c.uplo, c.n, real_alpha, x, inc_x, a);
    case Routine::syr2:
    case Routine::her2:
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, x, inc_x, y, inc_y, a, lda);
    default:  // spr2, hpr2
      return c(c.name(), c.order, c.uplo, c.n, c.alpha, x, inc_x, y, inc_y, a);
  }
}

template void run_level_2(const CblasCall<float>&);
template void run_level_2(const CblasCall<double>&);
template void run_level_2(const CblasCall<std::complex<float>>&);
template void run_level_2(const CblasCall<std::complex<double>>&);

template <class T>
void run_level_3(const CblasCall<T>& c) {
  T *a = c.at(Slot::a), *b = c.at(Slot::b), *into = c.at(Slot::c);
  const int lda = c.step(Slot::a), ldb = c.step(Slot::b), ldc = c.step(Slot::c);
  const int trans = number(c.call.trans_a), side = number(c.call.side);
  const auto real_alpha = static_cast<Real<T>>(c.call.alpha.real());
  const auto real_beta = static_cast<Real<T>>(c.call.beta.real());
  switch (c.call.routine) {
    case Routine::gemm:
      return c(c.name(), c.order, trans, number(c.call.trans_b), c.m, c.n, c.k, c.alpha, a, lda, b,
               ldb, c.beta, into, ldc);
    case Routine::symm:
    case Routine::hemm:
      return c(c.name(), c.order, side, c.uplo, c.m, c.n, c.alpha, a, lda, b, ldb, c.beta, into,
               ldc);
    case Routine::trmm:
    case Routine::trsm:
      return c(c.name(), c.order, side, c.uplo, trans, number(c.call.diag), c.m, c.n, c.alpha, a,
               lda, b, ldb);
    case Routine::syrk:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, c.beta, into, ldc);
    case Routine::herk:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, real_alpha, a, lda, real_beta, into,
               ldc);
    case Routine::syr2k:
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, b, ldb, c.beta, into,
               ldc);
    default:  // her2k
      return c(c.name(), c.order, c.uplo, trans, c.n, c.k, c.alpha, a, lda, b, ldb, real_beta, into,
               ldc);
  }
}

template void run_level_3(const CblasCall<float>&);
template void run_level_3(const CblasCall<double>&);
template void run_level_3(const CblasCall<std::complex<float>>&);
template void run_level_3(const CblasCall<std::complex<double>>&);

}  // namespace kiln::blas::testing
