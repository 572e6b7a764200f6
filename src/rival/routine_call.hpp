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
/// False for routines that rivals are not measured in: rotations.
template <class T, class Interface>
bool call_routine(const blas::Call& c, Interface&& interface) {
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
      return interface.call(name, n, x, y), true;
    case Routine::scal:
      if (c.real_alpha) return interface.call_mixed(name, n, real_alpha, x), true;
      return interface.call(name, n, alpha, x), true;
    case Routine::axpy:
      return interface.call(name, n, alpha, x, y), true;
    case Routine::dot:
      return interface.template reduce<T>(complex ? "dotu" : "dot", n, x, y), true;
    case Routine::dotc:
      return interface.template reduce<T>(name, n, x, y), true;
    case Routine::nrm2:
    case Routine::asum:
      return interface.template reduce<R>(name, n, x), true;
    case Routine::iamax:
      return interface.template reduce<std::size_t>(name, n, x), true;
    case Routine::gemv:
      return interface.call(name, c.order, c.trans_a, m, n, alpha, a, x, beta, y), true;
    case Routine::gbmv:
      return interface.call(name, c.order, c.trans_a, m, n, kl, ku, alpha, a, x, beta, y), true;
    case Routine::symv:
    case Routine::hemv:
      return interface.call(name, c.order, c.uplo, n, alpha, a, x, beta, y), true;
    case Routine::sbmv:
    case Routine::hbmv:
      return interface.call(name, c.order, c.uplo, n, k, alpha, a, x, beta, y), true;
    case Routine::spmv:
    case Routine::hpmv:
      return interface.call(name, c.order, c.uplo, n, alpha, ap, x, beta, y), true;
    case Routine::trmv:
    case Routine::trsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, a, x), true;
    case Routine::tbmv:
    case Routine::tbsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, k, a, x), true;
    case Routine::tpmv:
    case Routine::tpsv:
      return interface.call(name, c.order, c.uplo, c.trans_a, c.diag, n, ap, x), true;
    case Routine::ger:
      return interface.call(complex ? "geru" : "ger", c.order, m, n, alpha, x, y, a), true;
    case Routine::gerc:
      return interface.call(name, c.order, m, n, alpha, x, y, a), true;
    case Routine::syr:
      return interface.call(name, c.order, c.uplo, n, alpha, x, a), true;
    case Routine::her:
      return interface.call(name, c.order, c.uplo, n, real_alpha, x, a), true;
    case Routine::spr:
      return interface.call(name, c.order, c.uplo, n, alpha, x, ap), true;
    case Routine::hpr:
      return interface.call(name, c.order, c.uplo, n, real_alpha, x, ap), true;
    case Routine::syr2:
    case Routine::her2:
      return interface.call(name, c.order, c.uplo, n, alpha, x, y, a), true;
    case Routine::spr2:
    case Routine::hpr2:
      return interface.call(name, c.order, c.uplo, n, alpha, x, y, ap), true;
    case Routine::gemm:
      return interface.call(name, c.order, c.trans_a, c.trans_b, m, n, k, alpha, a, b, beta, to),
             true;
    case Routine::symm:
    case Routine::hemm:
      return interface.call(name, c.order, c.side, c.uplo, m, n, alpha, a, b, beta, to), true;
    case Routine::trmm:
    case Routine::trsm:
      return interface.call(name, c.order, c.side, c.uplo, c.trans_a, c.diag, m, n, alpha, a, b),
             true;
    case Routine::syrk:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, beta, to), true;
    case Routine::herk:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, real_alpha, a, real_beta, to),
             true;
    case Routine::syr2k:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, b, beta, to), true;
    case Routine::her2k:
      return interface.call(name, c.order, c.uplo, c.trans_a, n, k, alpha, a, b, real_beta, to),
             true;
    default:
      return false;
  }
}

/// The same for the call's own precision; throws Error (unsupported) for rotations.
/// `with` makes the interface: with.operator()<T>().
template <class With>
void call_any(const blas::Call& call, const With& with) {
  const bool known = [&] {
    switch (call.precision) {
      case blas::Precision::s:
        return call_routine<float>(call, with.template operator()<float>());
      case blas::Precision::d:
        return call_routine<double>(call, with.template operator()<double>());
      case blas::Precision::c:
        return call_routine<std::complex<float>>(call,
                                                 with.template operator()<std::complex<float>>());
      default:
        return call_routine<std::complex<double>>(call,
                                                  with.template operator()<std::complex<double>>());
    }
  }();
  if (!known)
    throw Error(Errc::unsupported,
                "no other library is measured in " + std::string(name_of(call.routine)));
}

}  // namespace kiln::rival
