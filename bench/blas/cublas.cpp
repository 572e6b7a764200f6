#include "blas/cublas.hpp"

#include <complex>
#include <stdexcept>

#include "blas/duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + ": " + std::to_string(status));
}

template <class T>
void run_typed(const rival::SharedLibrary& blas, void* handle, const Call& call,
               const std::array<void*, slot_count>& memory) {
  T alpha, beta;
  if constexpr (std::is_floating_point_v<T>) {
    alpha = static_cast<T>(call.alpha.real());
    beta = static_cast<T>(call.beta.real());
  } else {
    alpha = T(call.alpha);
    beta = T(call.beta);
  }
  const auto data = [&](Slot slot) { return memory[static_cast<std::size_t>(slot)]; };
  const auto ld = [&](Slot slot) { return static_cast<int>(call[slot].stride); };
  const int m = static_cast<int>(call.m), n = static_cast<int>(call.n),
            k = static_cast<int>(call.k);
  const std::string letter(1, static_cast<char>(blas::letter(call.precision) - 'a' + 'A'));
  const int trans_a = static_cast<int>(call.trans_a), trans_b = static_cast<int>(call.trans_b);
  const auto step = [&](Slot slot) { return static_cast<long long>(call[slot].batch_stride); };
  if (call.routine == Routine::gemm && call.batch > 1)
    check(blas.function<int(void*, int, int, int, int, int, const T*, const void*, int, long long,
                            const void*, int, long long, const T*, void*, int, long long, int)>(
              "cublas" + letter + "gemmStridedBatched")(
              handle, trans_a, trans_b, m, n, k, &alpha, data(Slot::a), ld(Slot::a), step(Slot::a),
              data(Slot::b), ld(Slot::b), step(Slot::b), &beta, data(Slot::c), ld(Slot::c),
              step(Slot::c), static_cast<int>(call.batch)),
          "cublas gemmStridedBatched");
  else if (call.routine == Routine::gemm)
    check(blas.function<int(void*, int, int, int, int, int, const T*, const void*, int, const void*,
                            int, const T*, void*, int)>("cublas" + letter + "gemm_v2")(
              handle, trans_a, trans_b, m, n, k, &alpha, data(Slot::a), ld(Slot::a), data(Slot::b),
              ld(Slot::b), &beta, data(Slot::c), ld(Slot::c)),
          "cublas gemm");
  else if (call.routine == Routine::trsm)
    // Its enumerators: left 0, lower 0, non-unit 0.
    check(blas.function<int(void*, int, int, int, int, int, int, const T*, const void*, int, void*,
                            int)>("cublas" + letter + "trsm_v2")(
              handle, call.side == Side::left ? 0 : 1, call.uplo == Uplo::lower ? 0 : 1, trans_a,
              call.diag == Diag::non_unit ? 0 : 1, m, n, &alpha, data(Slot::a), ld(Slot::a),
              data(Slot::b), ld(Slot::b)),
          "cublas trsm");
  else if (call.routine == Routine::gemv)
    check(blas.function<int(void*, int, int, int, const T*, const void*, int, const void*, int,
                            const T*, void*, int)>("cublas" + letter + "gemv_v2")(
              handle, trans_a, m, n, &alpha, data(Slot::a), ld(Slot::a), data(Slot::x), ld(Slot::x),
              &beta, data(Slot::y), ld(Slot::y)),
          "cublas gemv");
  else if (call.routine == Routine::symv)
    check(blas.function<int(void*, int, int, const T*, const void*, int, const void*, int, const T*,
                            void*, int)>("cublas" + letter + "symv_v2")(
              handle, call.uplo == Uplo::lower ? 0 : 1, n, &alpha, data(Slot::a), ld(Slot::a),
              data(Slot::x), ld(Slot::x), &beta, data(Slot::y), ld(Slot::y)),
          "cublas symv");
  else if (call.routine == Routine::axpy)
    check(blas.function<int(void*, int, const T*, const void*, int, void*, int)>("cublas" + letter +
                                                                                 "axpy_v2")(
              handle, n, &alpha, data(Slot::x), ld(Slot::x), data(Slot::y), ld(Slot::y)),
          "cublas axpy");
  else
    throw std::runtime_error("no rival for this routine");
}

/// cudaDataType_t
int kind_of(Storage stored) {
  switch (stored) {
    case Storage::half:
      return 2;
    case Storage::int8:
      return 3;
    case Storage::int32:
      return 10;
    case Storage::bfloat16:
      return 14;
    default:
      return 0;  // float
  }
}

/// A gemm whose operands do not lie in memory as its precision says; of integers with alpha 1 and
/// beta 0 alone.
void run_stored(const rival::SharedLibrary& blas, void* handle, const Call& call,
                const std::array<void*, slot_count>& memory) {
  const bool of_integers = call[Slot::a].stored == Storage::int8;
  const float floats[] = {static_cast<float>(call.alpha.real()),
                          static_cast<float>(call.beta.real())};
  constexpr int integers[] = {1, 0};
  if (of_integers && (floats[0] != 1 || floats[1] != 0))
    throw std::runtime_error("no rival for these scalars");
  const void* alpha = of_integers ? static_cast<const void*>(&integers[0]) : &floats[0];
  const void* beta = of_integers ? static_cast<const void*>(&integers[1]) : &floats[1];
  const auto data = [&](Slot slot) { return memory[static_cast<std::size_t>(slot)]; };
  const auto ld = [&](Slot slot) { return static_cast<int>(call[slot].stride); };
  constexpr int compute_32f = 68, compute_32i = 72, default_algorithm = -1;
  const auto kind = [&](Slot slot) { return kind_of(call[slot].stored); };
  const auto step = [&](Slot slot) { return static_cast<long long>(call[slot].batch_stride); };
  const int m = static_cast<int>(call.m), n = static_cast<int>(call.n),
            k = static_cast<int>(call.k);
  const int trans_a = static_cast<int>(call.trans_a), trans_b = static_cast<int>(call.trans_b);
  const int compute = of_integers ? compute_32i : compute_32f;
  if (call.batch == 1)
    check(
        blas.function<int(void*, int, int, int, int, int, const void*, const void*, int, int,
                          const void*, int, int, const void*, void*, int, int, int, int)>(
            "cublasGemmEx")(handle, trans_a, trans_b, m, n, k, alpha, data(Slot::a), kind(Slot::a),
                            ld(Slot::a), data(Slot::b), kind(Slot::b), ld(Slot::b), beta,
                            data(Slot::c), kind(Slot::c), ld(Slot::c), compute, default_algorithm),
        "cublasGemmEx");
  else
    check(blas.function<int(void*, int, int, int, int, int, const void*, const void*, int, int,
                            long long, const void*, int, int, long long, const void*, void*, int,
                            int, long long, int, int, int)>("cublasGemmStridedBatchedEx")(
              handle, trans_a, trans_b, m, n, k, alpha, data(Slot::a), kind(Slot::a), ld(Slot::a),
              step(Slot::a), data(Slot::b), kind(Slot::b), ld(Slot::b), step(Slot::b), beta,
              data(Slot::c), kind(Slot::c), ld(Slot::c), step(Slot::c),
              static_cast<int>(call.batch), compute, default_algorithm),
          "cublasGemmStridedBatchedEx");
}

}  // namespace

Cublas::Cublas()
    : runtime_({"libcudart.so.13", "libcudart.so.12", "libcudart.so",
                "/usr/local/cuda/lib64/libcudart.so"}),
      blas_({"libcublas.so.13", "libcublas.so.12", "libcublas.so",
             "/usr/local/cuda/lib64/libcublas.so"}) {
  if (present()) check(blas_.function<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
}

Cublas& Cublas::get() {
  static Cublas one;
  return one;
}

void* Cublas::upload(const void* from, std::size_t bytes) {
  void* memory = nullptr;
  check(runtime_.function<int(void**, std::size_t)>("cudaMalloc")(&memory, bytes), "cudaMalloc");
  constexpr int host_to_device = 1;
  check(runtime_.function<int(void*, const void*, std::size_t, int)>("cudaMemcpy")(
            memory, from, bytes, host_to_device),
        "cudaMemcpy");
  return memory;
}

void Cublas::free(void* memory) { runtime_.function<int(void*)>("cudaFree")(memory); }

void Cublas::run(const Call& call, const std::array<void*, slot_count>& memory) {
  if (has_stored(call)) return run_stored(blas_, handle_, call, memory);
  switch (call.precision) {
    case Precision::s:
      return run_typed<float>(blas_, handle_, call, memory);
    case Precision::d:
      return run_typed<double>(blas_, handle_, call, memory);
    case Precision::c:
      return run_typed<std::complex<float>>(blas_, handle_, call, memory);
    case Precision::z:
      return run_typed<std::complex<double>>(blas_, handle_, call, memory);
  }
}

void Cublas::finish() {
  check(runtime_.function<int()>("cudaDeviceSynchronize")(), "cudaDeviceSynchronize");
}

Outcome against_cublas(const Call& call, int calls) {
  if (!select_devices("gpu")) return not_measured("there is no GPU");
  Cublas& rival = Cublas::get();
  if (!rival.present()) return not_measured("cuBLAS is absent");
  rival::Machine machine("gpu");
  rival::Problem problem(machine, call);
  const CublasCopies copies(problem);
  auto theirs = in_a_row(
      "cuBLAS", [&] { rival.run(problem.call(), copies.memory()); }, [&] { rival.finish(); },
      calls);
  return duel(problem, std::move(theirs), kiln_in_a_row(problem, calls), 9);
}

}  // namespace kiln::bench
