#include "blas/cblas.hpp"

#include <chrono>
#include <complex>
#include <cstdlib>
#include <thread>

namespace kiln::bench {
namespace {

using namespace kiln::blas;

// The numbers of CBLAS's enumerations.
int number(Order order) { return order == Order::row_major ? 101 : 102; }
int number(Transpose trans) { return 111 + static_cast<int>(trans); }
int number(Uplo uplo) { return uplo == Uplo::upper ? 121 : 122; }
int number(Diag diag) { return diag == Diag::unit ? 132 : 131; }
int number(Side side) { return side == Side::left ? 141 : 142; }

/// Real scalars go by value, complex ones by address.
template <class T>
struct Passed {
  using Type = T;
  static T pass(const T& value) { return value; }
};
template <class R>
struct Passed<std::complex<R>> {
  using Type = const void*;
  static const void* pass(const std::complex<R>& value) { return &value; }
};

template <class T>
T narrow(const Scalar& value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value.real());
  else
    return T(value);
}

template <class T>
void run_typed(const SharedLibrary& library, const Call& call,
               const std::array<void*, slot_count>& memory) {
  using S = typename Passed<T>::Type;
  const T alpha_value = narrow<T>(call.alpha), beta_value = narrow<T>(call.beta);
  const S alpha = Passed<T>::pass(alpha_value), beta = Passed<T>::pass(beta_value);
  const std::string name =
      std::string("cblas_") + letter(call.precision) + std::string(name_of(call.routine));
  const auto data = [&](Slot slot) { return memory[static_cast<std::size_t>(slot)]; };
  const auto ld = [&](Slot slot) { return static_cast<int>(call[slot].stride); };
  const int m = static_cast<int>(call.m), n = static_cast<int>(call.n),
            k = static_cast<int>(call.k), order = number(call.order);
  switch (call.routine) {
    case Routine::gemm:
      library.function<void(int, int, int, int, int, int, S, const void*, int, const void*, int, S,
                            void*, int)>(name)(
          order, number(call.trans_a), number(call.trans_b), m, n, k, alpha, data(Slot::a),
          ld(Slot::a), data(Slot::b), ld(Slot::b), beta, data(Slot::c), ld(Slot::c));
      break;
    case Routine::symm:
    case Routine::hemm:
      library.function<void(int, int, int, int, int, S, const void*, int, const void*, int, S,
                            void*, int)>(name)(order, number(call.side), number(call.uplo), m, n,
                                               alpha, data(Slot::a), ld(Slot::a), data(Slot::b),
                                               ld(Slot::b), beta, data(Slot::c), ld(Slot::c));
      break;
    case Routine::syrk:
      library.function<void(int, int, int, int, int, S, const void*, int, S, void*, int)>(name)(
          order, number(call.uplo), number(call.trans_a), n, k, alpha, data(Slot::a), ld(Slot::a),
          beta, data(Slot::c), ld(Slot::c));
      break;
    case Routine::syr2k:
      library.function<void(int, int, int, int, int, S, const void*, int, const void*, int, S,
                            void*, int)>(name)(order, number(call.uplo), number(call.trans_a), n, k,
                                               alpha, data(Slot::a), ld(Slot::a), data(Slot::b),
                                               ld(Slot::b), beta, data(Slot::c), ld(Slot::c));
      break;
    case Routine::herk:
      if constexpr (!std::is_floating_point_v<T>) {
        using R = typename T::value_type;
        library.function<void(int, int, int, int, int, R, const void*, int, R, void*, int)>(name)(
            order, number(call.uplo), number(call.trans_a), n, k, alpha_value.real(), data(Slot::a),
            ld(Slot::a), beta_value.real(), data(Slot::c), ld(Slot::c));
      }
      break;
    case Routine::her2k:
      if constexpr (!std::is_floating_point_v<T>) {
        using R = typename T::value_type;
        library.function<void(int, int, int, int, int, S, const void*, int, const void*, int, R,
                              void*, int)>(name)(
            order, number(call.uplo), number(call.trans_a), n, k, alpha, data(Slot::a), ld(Slot::a),
            data(Slot::b), ld(Slot::b), beta_value.real(), data(Slot::c), ld(Slot::c));
      }
      break;
    case Routine::trmm:
    case Routine::trsm:
      library.function<void(int, int, int, int, int, int, int, S, const void*, int, void*, int)>(
          name)(order, number(call.side), number(call.uplo), number(call.trans_a),
                number(call.diag), m, n, alpha, data(Slot::a), ld(Slot::a), data(Slot::b),
                ld(Slot::b));
      break;
    case Routine::axpy:
      library.function<void(int, S, const void*, int, void*, int)>(name)(
          n, alpha, data(Slot::x), ld(Slot::x), data(Slot::y), ld(Slot::y));
      break;
    case Routine::copy:
      library.function<void(int, const void*, int, void*, int)>(name)(n, data(Slot::x), ld(Slot::x),
                                                                      data(Slot::y), ld(Slot::y));
      break;
    case Routine::scal:
      library.function<void(int, S, void*, int)>(name)(n, alpha, data(Slot::x), ld(Slot::x));
      break;
    case Routine::dot:
      if constexpr (std::is_floating_point_v<T>)
        *static_cast<T*>(data(Slot::z)) =
            library.function<T(int, const void*, int, const void*, int)>(name)(
                n, data(Slot::x), ld(Slot::x), data(Slot::y), ld(Slot::y));
      break;
    case Routine::gemv:
      library
          .function<void(int, int, int, int, S, const void*, int, const void*, int, S, void*, int)>(
              name)(order, number(call.trans_a), m, n, alpha, data(Slot::a), ld(Slot::a),
                    data(Slot::x), ld(Slot::x), beta, data(Slot::y), ld(Slot::y));
      break;
    case Routine::symv:
      library.function<void(int, int, int, S, const void*, int, const void*, int, S, void*, int)>(
          name)(order, number(call.uplo), n, alpha, data(Slot::a), ld(Slot::a), data(Slot::x),
                ld(Slot::x), beta, data(Slot::y), ld(Slot::y));
      break;
    case Routine::ger:
      library.function<void(int, int, int, S, const void*, int, const void*, int, void*, int)>(
          name)(order, m, n, alpha, data(Slot::x), ld(Slot::x), data(Slot::y), ld(Slot::y),
                data(Slot::a), ld(Slot::a));
      break;
    case Routine::trsv:
      library.function<void(int, int, int, int, int, const void*, int, void*, int)>(name)(
          order, number(call.uplo), number(call.trans_a), number(call.diag), n, data(Slot::a),
          ld(Slot::a), data(Slot::x), ld(Slot::x));
      break;
    default:
      throw std::runtime_error("no rival for this routine");
  }
}

}  // namespace

Cblas::Cblas()
    : library_([] {
        // As it comes: with the kernels that it chooses for this processor.
        for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS"})
          ::unsetenv(name);
        return SharedLibrary({"libopenblas.so.0", "libopenblas.so"});
      }()) {}

const Cblas& Cblas::get() {
  static const Cblas one;
  return one;
}

void Cblas::let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(80)); }

void Cblas::run(const Call& call, const std::array<void*, slot_count>& memory) const {
  switch (call.precision) {
    case Precision::s:
      return run_typed<float>(library_, call, memory);
    case Precision::d:
      return run_typed<double>(library_, call, memory);
    case Precision::c:
      return run_typed<std::complex<float>>(library_, call, memory);
    case Precision::z:
      return run_typed<std::complex<double>>(library_, call, memory);
  }
}

}  // namespace kiln::bench
