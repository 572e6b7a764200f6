#pragma once

#include <string>

#include "blas/sweep/case.hpp"

namespace kiln::blas::testing {

/// OpenBLAS with 32-bit integers, loaded where it is installed: what Kiln's results are held
/// against. Nothing links it.
class OpenBlas {
 public:
  static const OpenBlas& get();
  bool present() const { return handle_ != nullptr; }

  /// The call on the host's memory, by CBLAS, or by Fortran's names where CBLAS has none. Throws
  /// std::runtime_error where the library lacks the function.
  template <class T>
  void run(const Call& call, Memory<T>& memory) const;

  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  OpenBlas();
  void* address(const std::string& name) const;
  void* handle_;
};

/// What a function takes for a scalar of type T: real ones by value, complex ones by address.
template <class T>
struct Passed {
  using Type = T;
  static T narrow(const Scalar& value) { return static_cast<T>(value.real()); }
  static T pass(const T& value) { return value; }
};
template <class R>
struct Passed<std::complex<R>> {
  using Type = const void*;
  static std::complex<R> narrow(const Scalar& value) { return std::complex<R>(value); }
  static const void* pass(const std::complex<R>& value) { return &value; }
};

// The numbers of CBLAS's enumerations.
constexpr int number(Order order) { return order == Order::row_major ? 101 : 102; }
constexpr int number(Transpose trans) { return 111 + static_cast<int>(trans); }
constexpr int number(Uplo uplo) { return uplo == Uplo::upper ? 121 : 122; }
constexpr int number(Diag diag) { return diag == Diag::unit ? 132 : 131; }
constexpr int number(Side side) { return side == Side::left ? 141 : 142; }

/// A call as the functions of CBLAS take its parts.
template <class T>
struct CblasCall {
  using S = typename Passed<T>::Type;
  using R = Real<T>;

  CblasCall(const OpenBlas& in, const Call& of, Memory<T>& on)
      : library(in),
        call(of),
        memory(on),
        alpha_value(Passed<T>::narrow(of.alpha)),
        beta_value(Passed<T>::narrow(of.beta)),
        alpha(Passed<T>::pass(alpha_value)),
        beta(Passed<T>::pass(beta_value)),
        order(number(of.order)),
        uplo(number(of.uplo)),
        m(static_cast<int>(of.m)),
        n(static_cast<int>(of.n)),
        k(static_cast<int>(of.k)) {}
  CblasCall(const CblasCall&) = delete;
  CblasCall& operator=(const CblasCall&) = delete;

  /// Where an argument begins.
  T* at(Slot slot) const {
    return memory[static_cast<std::size_t>(slot)].data() + call[slot].offset;
  }
  /// The same of an argument that is real whatever the call's precision.
  R* real_at(Slot slot) const {
    return reinterpret_cast<R*>(memory[static_cast<std::size_t>(slot)].data()) + call[slot].offset;
  }
  int step(Slot slot) const { return static_cast<int>(call[slot].stride); }
  std::string name(const std::string& suffix = "") const {
    return std::string("cblas_") + letter(call.precision) + std::string(name_of(call.routine)) +
           suffix;
  }
  /// Calls the function of this name.
  template <class... Arguments>
  void operator()(const std::string& name, Arguments... arguments) const {
    library.function<void(Arguments...)>(name)(arguments...);
  }

  const OpenBlas& library;
  const Call& call;
  Memory<T>& memory;
  T alpha_value, beta_value;
  S alpha, beta;
  int order, uplo, m, n, k;
};

template <class T>
void run_level_1(const CblasCall<T>& c);
template <class T>
void run_level_2(const CblasCall<T>& c);
template <class T>
void run_level_3(const CblasCall<T>& c);

template <class T>
void OpenBlas::run(const Call& call, Memory<T>& memory) const {
  const CblasCall<T> c(*this, call, memory);
  if (call.routine < Routine::gemv)
    run_level_1(c);
  else if (call.routine < Routine::gemm)
    run_level_2(c);
  else
    run_level_3(c);
}

}  // namespace kiln::blas::testing
