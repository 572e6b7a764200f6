#include "rival/libraries.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <limits>

#include "blas/call/call.hpp"
#include "kiln/error.hpp"
#include "rival/routine_call.hpp"

namespace kiln::rival {

using blas::Call;
using blas::Slot;

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      // Never closed: such libraries keep threads that outlive their use.
      handle_ = {opened, [](void*) {}};
      return;
    }
}

bool SharedLibrary::has(const std::string& name) const {
  return handle_ && ::dlsym(handle_.get(), name.c_str()) != nullptr;
}

void* SharedLibrary::address(const std::string& name) const {
  void* found = handle_ ? ::dlsym(handle_.get(), name.c_str()) : nullptr;
  if (found == nullptr) throw Error(Errc::unsupported, "there is no function " + name);
  return found;
}

// ---- oneDNN
const Onednn& Onednn::get() {
  static const Onednn one;
  return one;
}

void Onednn::run(const Call& call, const std::array<void*, blas::slot_count>& memory) const {
  const bool is_bytes = call[Slot::a].stored == blas::Storage::int8 &&
                        call[Slot::b].stored == blas::Storage::int8 &&
                        call[Slot::c].stored == blas::Storage::int32;
  if (call.routine != blas::Routine::gemm || call.precision != blas::Precision::s ||
      call.batch != 1 || (!is_bytes && blas::has_stored(call)))
    throw Error(Errc::unsupported, "oneDNN has sgemm, and that of bytes with results of int32");
  using Sgemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                    std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
  const auto letter = [](blas::Transpose trans) {
    return trans == blas::Transpose::none ? 'N' : 'T';
  };
  // It takes rows: by columns, the transposed product is that of the factors in turn.
  Slot first = Slot::a, second = Slot::b;
  char trans_first = letter(call.trans_a), trans_second = letter(call.trans_b);
  auto rows = static_cast<std::int64_t>(call.m), columns = static_cast<std::int64_t>(call.n);
  if (call.order == blas::Order::column_major) {
    std::swap(first, second);
    std::swap(trans_first, trans_second);
    std::swap(rows, columns);
  }
  const auto bytes_of = [&](Slot slot) {
    return static_cast<std::int8_t*>(memory[static_cast<std::size_t>(slot)]);
  };
  if (is_bytes) {
    using Bytes =
        int(char, char, char, std::int64_t, std::int64_t, std::int64_t, float, const std::int8_t*,
            std::int64_t, std::int8_t, const std::int8_t*, std::int64_t, std::int8_t, float,
            std::int32_t*, std::int64_t, const std::int32_t*);
    const std::int32_t none = 0;
    const int ended = function<Bytes>("dnnl_gemm_s8s8s32")(
        trans_first, trans_second, 'F', rows, columns, static_cast<std::int64_t>(call.k),
        static_cast<float>(call.alpha.real()), bytes_of(first), call[first].stride, 0,
        bytes_of(second), call[second].stride, 0, static_cast<float>(call.beta.real()),
        static_cast<std::int32_t*>(memory[static_cast<std::size_t>(Slot::c)]), call[Slot::c].stride,
        &none);
    if (ended != 0) throw Error(Errc::internal, "dnnl_gemm_s8s8s32: " + std::to_string(ended));
    return;
  }
  const auto data = [&](Slot slot) {
    return static_cast<float*>(memory[static_cast<std::size_t>(slot)]);
  };
  const int status = function<Sgemm>("dnnl_sgemm")(
      trans_first, trans_second, rows, columns, static_cast<std::int64_t>(call.k),
      static_cast<float>(call.alpha.real()), data(first), call[first].stride, data(second),
      call[second].stride, static_cast<float>(call.beta.real()), data(Slot::c),
      call[Slot::c].stride);
  if (status != 0) throw Error(Errc::internal, "dnnl_sgemm: " + std::to_string(status));
}

// ---- CBLAS
namespace {

/// A call of precision T in CBLAS's words: sizes and strides are ints, real scalars go by value,
/// complex ones by address, reductions return their result.
template <class T>
class CblasCall {
 public:
  CblasCall(const SharedLibrary& library, const Call& call,
            const std::array<void*, blas::slot_count>& memory)
      : library_(library), call_(call), memory_(memory) {}

  template <class... Arguments>
  void call(const std::string& name, const Arguments&... arguments) {
    pass<void, sizeof...(Arguments)>(full_name(name), arguments...);
  }
  /// csscal, zdscal.
  template <class... Arguments>
  void call_mixed(const std::string& name, const Arguments&... arguments) {
    pass<void, sizeof...(Arguments)>((letter() == 'c' ? "cblas_cs" : "cblas_zd") + name,
                                     arguments...);
  }
  template <class Result, class... Arguments>
  void reduce(const std::string& name, const Arguments&... arguments) {
    constexpr std::size_t count = sizeof...(Arguments);
    void* to = memory_[static_cast<std::size_t>(Slot::z)];
    if constexpr (std::is_same_v<Result, std::size_t>) {
      const auto found = pass<Result, count>(full_name(name, "i"), arguments...);
      *static_cast<cl_uint*>(to) = static_cast<cl_uint>(found + 1);  // C counts from 0
    } else if constexpr (std::is_floating_point_v<Result>) {
      constexpr const char* prefixes[] = {"s", "d", "sc", "dz"};
      *static_cast<Result*>(to) = pass<Result, count>(
          "cblas_" + std::string(prefixes[static_cast<int>(call_.precision)]) + name, arguments...);
    } else {
      pass<void, count + 1>(full_name(name) + "_sub", arguments..., Packed{Slot::z});
    }
  }

 private:
  char letter() const { return blas::letter(call_.precision); }
  std::string full_name(const std::string& name, const std::string& before = "") const {
    return "cblas_" + before + letter() + name;
  }

  /// Calls the function. The first of the arguments is replaced by its values in C, behind the
  /// last, until that was done to all `left`. (By std::tuple_cat compilers take ten seconds for
  /// it.)
  template <class Result, std::size_t left, class First, class... Rest>
  Result pass(const std::string& name, const First& first, const Rest&... rest) const {
    if constexpr (left == 0)
      return library_.function<Result(First, Rest...)>(name)(first, rest...);
    else if constexpr (std::is_same_v<First, Size>)
      return pass<Result, left - 1>(name, rest..., static_cast<int>(first.value));
    else if constexpr (std::is_same_v<First, Strided>)
      return pass<Result, left - 1>(name, rest..., memory_[static_cast<std::size_t>(first.slot)],
                                    static_cast<int>(call_[first.slot].stride));
    else if constexpr (std::is_same_v<First, Packed>)
      return pass<Result, left - 1>(name, rest..., memory_[static_cast<std::size_t>(first.slot)]);
    else if constexpr (std::is_enum_v<First>)
      return pass<Result, left - 1>(name, rest..., number(first));
    else if constexpr (std::is_floating_point_v<First>)
      return pass<Result, left - 1>(name, rest..., first);
    else  // a complex number
      return pass<Result, left - 1>(name, rest..., static_cast<const void*>(&first));
  }

  const SharedLibrary& library_;
  const Call& call_;
  const std::array<void*, blas::slot_count>& memory_;
};

}  // namespace

bool is_held_to_avx2() { return ::getenv(avx2_variable) != nullptr; }

Onednn::Onednn()
    : SharedLibrary([] {
        ::unsetenv("DNNL_MAX_CPU_ISA");
        if (is_held_to_avx2()) ::setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
        return SharedLibrary({"libdnnl.so.2", "libdnnl.so.3", "libdnnl.so"});
      }()) {}

Cblas::Cblas()
    : SharedLibrary([] {
        for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS"})
          ::unsetenv(name);
        if (is_held_to_avx2()) ::setenv("OPENBLAS_CORETYPE", "Haswell", 1);
        return SharedLibrary({"libopenblas.so.0", "libopenblas.so"});
      }()) {}

const Cblas& Cblas::get() {
  static const Cblas one;
  return one;
}

void Cblas::run(const Call& call, const std::array<void*, blas::slot_count>& memory) const {
  if (call.batch != 1) throw Error(Errc::unsupported, "it has no batches");
  for (const std::size_t size : {call.m, call.n, call.k})
    if (size > std::numeric_limits<int>::max())
      throw Error(Errc::unsupported, "it counts in 32 bits");
  call_any(call, [&]<class T>() { return CblasCall<T>(*this, call, memory); });
}

}  // namespace kiln::rival
