#include "blas/sweep/openblas.hpp"

namespace kiln::blas::testing {
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
        // OpenBLAS 0.3.21's scasum is wrong with AVX-512; its sums of real numbers are right.
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

}  // namespace kiln::blas::testing
