#include "rival/cblas.hpp"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <tuple>

#include "rival/routine_call.hpp"

namespace kiln::rival {
namespace {

using blas::Call;
using blas::Slot;

/// A call of precision T in CBLAS's words: sizes and strides are ints, real scalars go by value,
/// complex ones by address, reductions return their result.
template <class T>
class Interface {
 public:
  Interface(const SharedLibrary& library, const Call& call,
            const std::array<void*, blas::slot_count>& memory)
      : library_(library), call_(call), memory_(memory) {}

  template <class... Arguments>
  void call(const std::string& name, const Arguments&... arguments) {
    invoke<void>("cblas_" + std::string(1, letter()) + name, std::tuple_cat(passed(arguments)...));
  }
  /// csscal, zdscal.
  template <class... Arguments>
  void call_mixed(const std::string& name, const Arguments&... arguments) {
    invoke<void>(letter() == 'c' ? "cblas_cs" + name : "cblas_zd" + name,
                 std::tuple_cat(passed(arguments)...));
  }
  template <class Result, class... Arguments>
  void reduce(const std::string& name, const Arguments&... arguments) {
    void* to = memory_[static_cast<std::size_t>(Slot::z)];
    const auto all = std::tuple_cat(passed(arguments)...);
    if constexpr (std::is_same_v<Result, std::size_t>) {
      const auto found = invoke<std::size_t>("cblas_i" + std::string(1, letter()) + "amax", all);
      *static_cast<cl_uint*>(to) = static_cast<cl_uint>(found + 1);  // C counts from 0
    } else if constexpr (std::is_floating_point_v<Result>) {
      constexpr const char* prefixes[] = {"s", "d", "sc", "dz"};
      *static_cast<Result*>(to) = invoke<Result>(
          "cblas_" + std::string(prefixes[static_cast<int>(call_.precision)]) + name, all);
    } else {
      invoke<void>("cblas_" + std::string(1, letter()) + name + "_sub",
                   std::tuple_cat(all, std::tuple(to)));
    }
  }

 private:
  char letter() const { return blas::letter(call_.precision); }
  static std::tuple<int> passed(Size size) { return static_cast<int>(size.value); }
  static std::tuple<float> passed(float value) { return value; }
  static std::tuple<double> passed(double value) { return value; }
  template <class R>
  static std::tuple<const void*> passed(const std::complex<R>& value) {
    return &value;
  }
  std::tuple<void*, int> passed(Strided operand) const {
    return {memory_[static_cast<std::size_t>(operand.slot)],
            static_cast<int>(call_[operand.slot].stride)};
  }
  std::tuple<void*> passed(Packed operand) const {
    return memory_[static_cast<std::size_t>(operand.slot)];
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static std::tuple<int> passed(Enum value) { return number(value); }

  template <class Result, class... C>
  Result invoke(const std::string& name, const std::tuple<C...>& arguments) const {
    return std::apply(library_.function<Result(C...)>(name), arguments);
  }

  const SharedLibrary& library_;
  const Call& call_;
  const std::array<void*, blas::slot_count>& memory_;
};

}  // namespace

Cblas::Cblas()
    : library_([] {
        for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS"})
          ::unsetenv(name);
        return SharedLibrary({"libopenblas.so.0", "libopenblas.so"});
      }()) {}

const Cblas& Cblas::get() {
  static const Cblas one;
  return one;
}

void Cblas::let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(80)); }

void Cblas::run(const Call& call, const std::array<void*, blas::slot_count>& memory) const {
  for (const std::size_t size : {call.m, call.n, call.k})
    if (size > std::numeric_limits<int>::max())
      throw Error(Errc::unsupported, "it counts in 32 bits");
  call_any(call, [&]<class T>() { return Interface<T>(library_, call, memory); });
}

}  // namespace kiln::rival
