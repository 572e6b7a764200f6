#pragma once

#include <complex>
#include <string>

#include "blas/call/call.hpp"

/// The routines' arguments in the order that all C interfaces of BLAS have them in. One list serves
/// CBLAS and CLBlast: what an argument is in C is the interface's matter.
namespace kiln::rival {

/// What all C interfaces of BLAS number the same way (those of CBLAS).
inline int number(blas::Order order) { return order == blas::Order::row_major ? 101 : 102; }
inline int number(blas::Transpose trans) { return 111 + static_cast<int>(trans); }
inline int number(blas::Uplo uplo) { return uplo == blas::Uplo::upper ? 121 : 122; }
inline int number(blas::Diag diag) { return diag == blas::Diag::unit ? 132 : 131; }
inline int number(blas::Side side) { return side == blas::Side::left ? 141 : 142; }

/// A size, as its own type.
struct Size {
  std::size_t value;
};
/// How an operand is passed: with a stride or without.
struct Strided {
  blas::Slot slot;
};
struct Packed {
  blas::Slot slot;
};

template <class T>
T number_of(const blas::Scalar& value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value.real());
  else
    return T(value);
}

/// Calls interface.call(name, arguments…) for a call of precision T (interface.reduce<Result>() for
/// a routine that leaves one number). `name` is BLAS's without the letter; the interface adds it.
/// Throws Error (unsupported) for routines that rivals are not measured in: rotations, and images.
template <class T, class Interface>
void call_routine(const blas::Call& c, Interface&& interface) {
  using blas::Routine;
  using blas::Slot;
  using R = decltype(std::real(T()));
  constexpr bool complex = !std::is_floating_point_v<T>;
  const Size m{c.m}, n{c.n}, k{c.k}, kl{c.kl}, ku{c.ku};
  const T alpha = number_of<T>(c.alpha), beta = number_of<T>(c.beta);
  const R real_alpha = static_cast<R>(c.alpha.real()), real_beta = static_cast<R>(c.beta.real());
  const Strided a{Slot::a}, b{Slot::b}, to{Slot::c}, x{Slot::x}, y{Slot::y};
  const Packed ap{Slot::a};
  const std::string name(name_of(c.routine));
  switch (c.routine) {
    case Routine::swap:
    case Routine::copy:
      return interface.call(name, n, x, y);
    case Routine::scal:
      if (c.real_alpha) return interface.call_mixed(name, n, real_alpha, x);
      return interface.call(name, n, alpha, x);
    case Routine::axpy:
      return interface.call(name, n, alpha, x, y);
    case Routine::dot:
      return interface.template reduce<T>(complex ? "dotu" : "dot", n, x, y);
    case Routine::dotc:
      return interface.template reduce<T>(name, n, x, y);
    case Routine::nrm2:
    case Routine::asum:
      return interface.template reduce<R>(name, n, x);
    case Routine::sum:
      return interface.template reduce<T>(name, n, x);
    case Routine::iamax:
    case Routine::iamin:
    case Routine::imax:
    case Routine::imin:
      return interface.template reduce<std::size_t>(name.substr(1), n, x);
    case Routine::had:
      return interface.call(name, n, alpha, x, y, beta, Strided{Slot::z});
    case Routine::omatcopy:
      return interface.call(name, c.order, c.trans_a, m, n, alpha, a, b);
    case Routine::gemv:
      return interface.call(name, c.order, c.trans_a, m, n, alpha, a, x, beta, y);
    case Routine::gbmv:
      return interface.call(name, c.order, c.trans_a, m, n, kl, ku, alpha, a, x, beta, y);
    case Routine::symv:
    case Routine::hemv:
      return interface.call(name, c.order, c.uplo, n, alpha, a, x, beta, y);
    case Routine::sbmv:
    case Routine::hbmv:
      return interface.call(name, c.order, c.uplo, n, k, alpha, a, x, beta, y);
    case Routine::spmv:
    case Routine::hpmv:
      return interface.call(name, c.order, c.uplo, n, alpha, ap, x, beta, y);
    case Routine::trmv:
    case Routine::trsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, a, x);
    case Routine::tbmv:
    case Routine::tbsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, k, a, x);
    case Routine::tpmv:
    case Routine::tpsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, ap, x);
    case Routine::ger:
      return interface.call(complex ? "geru" : "ger", c.order, m, n, alpha, x, y, a);
    case Routine::gerc:
      return interface.call(name, c.order, m, n, alpha, x, y, a);
    case Routine::syr:
      return interface.call(name, c.order, c.uplo, n, alpha, x, a);
    case Routine::her:
      return interface.call(name, c.order, c.uplo, n, real_alpha, x, a);
    case Routine::spr:
      return interface.call(name, c.order, c.uplo, n, alpha, x, ap);
    case Routine::hpr:
      return interface.call(name, c.order, c.uplo, n, real_alpha, x, ap);
    case Routine::syr2:
    case Routine::her2:
      return interface.call(name, c.order, c.uplo, n, alpha, x, y, a);
    case Routine::spr2:
    case Routine::hpr2:
      return interface.call(name, c.order, c.uplo, n, alpha, x, y, ap);
    case Routine::gemm:
      return interface.call(name, c.order, c.trans_a, c.trans_b, m, n, k, alpha, a, b, beta, to);
    case Routine::symm:
    case Routine::hemm:
      return interface.call(name, c.order, c.side, c.uplo, m, n, alpha, a, b, beta, to);
    case Routine::trmm:
    case Routine::trsm:
      return interface.call(name, c.order, c.side, c.uplo, c.trans_a, c.diag, m, n, alpha, a, b);
    case Routine::syrk:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, beta, to);
    case Routine::herk:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, real_alpha, a, real_beta, to);
    case Routine::syr2k:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, b, beta, to);
    case Routine::her2k:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, b, real_beta, to);
    default:
      throw Error(Errc::unsupported, "no other library is measured in " + name);
  }
}

/// The same for the call's own precision. `with` makes the interface: with.operator()<T>().
template <class With>
void call_any(const blas::Call& call, const With& with) {
  const auto as = [&]<class T>(T) { call_routine<T>(call, with.template operator()<T>()); };
  switch (call.precision) {
    case blas::Precision::s:
      return as(float());
    case blas::Precision::d:
      return as(double());
    case blas::Precision::c:
      return as(std::complex<float>());
    default:
      return as(std::complex<double>());
  }
}

}  // namespace kiln::rival
