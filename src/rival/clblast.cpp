#include <complex>
#include <vector>

#include "rival/libraries.hpp"
#include "rival/routine_call.hpp"

namespace kiln::rival {

using blas::Call;
using blas::Slot;

namespace {

cl_float2 vector_of(const std::complex<float>& value) { return {{value.real(), value.imag()}}; }
cl_double2 vector_of(const std::complex<double>& value) { return {{value.real(), value.imag()}}; }

/// A call in CLBlast's words: sizes are size_t, operands memory objects with offset and stride,
/// complex scalars OpenCL's vectors by value; a reduction's result comes after the size, and queue
/// and event last.
class ClblastCall {
 public:
  ClblastCall(const SharedLibrary& library, const Call& call, cl_command_queue queue)
      : library_(library), call_(call), queue_(queue) {}

  template <class... Arguments>
  void call(const std::string& name, const Arguments&... arguments) {
    pass_all(full_name(name), arguments...);
  }
  template <class... Arguments>
  void call_mixed(const std::string& name, const Arguments&...) {
    throw Error(Errc::unsupported, "CLBlast has no " + name + " by a real scalar");
  }
  template <class Result, class... Operands>
  void reduce(const std::string& name, Size n, const Operands&... operands) {
    constexpr const char* norms[] = {"S", "D", "Sc", "Dz"};
    std::string full = full_name(name);
    if constexpr (std::is_same_v<Result, std::size_t>)
      full = full_name(name, "i");
    else if (name == "nrm2" || name == "asum" || name == "sum")
      full = "CLBlast" + (norms[static_cast<int>(call_.precision)] + name);
    pass_all(full, n, Packed{Slot::z}, operands...);
  }

  /// What BLAS does not have: im2col, col2im and convgemm.
  void images() {
    const blas::Window& w = call_.window;
    const auto with_window = [&](const std::string& name, const auto&... rest) {
      constexpr int cross_correlation = 151, convolution = 152;
      pass_all(full_name(name), w.flipped ? convolution : cross_correlation, w.channels, w.height,
               w.width, w.kernel_h, w.kernel_w, w.pad_h, w.pad_w, w.stride_h, w.stride_w,
               w.dilation_h, w.dilation_w, rest...);
    };
    const Packed a{Slot::a}, b{Slot::b}, c{Slot::c};
    if (call_.routine == blas::Routine::conv)
      return with_window("convgemm", Size{call_.n}, Size{call_.batch}, a, b, c);
    with_window(std::string(name_of(call_.routine)), a, b);
  }

  /// Batches whose items have places and scalars of their own; all scalars differ, as they may.
  template <class T>
  void batch_by_places() {
    const Size m{call_.m}, n{call_.n}, k{call_.k}, items{call_.batch};
    const auto scalars = [&](blas::Scalar first) {
      std::vector<T> all;
      for (std::size_t i = 0; i < call_.batch; ++i)
        all.push_back(number_of<T>(
            first * (1 - 0.25 * static_cast<double>(i) / static_cast<double>(call_.batch))));
      return all;
    };
    const std::vector<T> alphas = scalars(call_.alpha), betas = scalars(call_.beta);
    if (call_.routine == blas::Routine::axpy) {
      const Places x(call_[Slot::x], call_.batch), y(call_[Slot::y], call_.batch);
      return pass_all(full_name("axpyBatched"), n, data(alphas), x.memory, x.data(), x.stride,
                      y.memory, y.data(), y.stride, items);
    }
    const Places a(call_[Slot::a], call_.batch), b(call_[Slot::b], call_.batch),
        c(call_[Slot::c], call_.batch);
    pass_all(full_name("gemmBatched"), call_.order, call_.trans_a, call_.trans_b, m, n, k,
             data(alphas), a.memory, a.data(), a.stride, b.memory, b.data(), b.stride, data(betas),
             c.memory, c.data(), c.stride, items);
  }

  /// A gemm whose items lie a stride apart.
  template <class T>
  void batch_by_stride() {
    const Size m{call_.m}, n{call_.n}, k{call_.k}, items{call_.batch};
    const auto step = [&](Slot slot) { return static_cast<std::size_t>(call_[slot].batch_stride); };
    pass_all(full_name("gemmStridedBatched"), call_.order, call_.trans_a, call_.trans_b, m, n, k,
             number_of<T>(call_.alpha), Strided{Slot::a}, step(Slot::a), Strided{Slot::b},
             step(Slot::b), number_of<T>(call_.beta), Strided{Slot::c}, step(Slot::c), items);
  }

 private:
  /// Where the items of a batch have an operand, as arrays of offsets.
  struct Places {
    Places(const blas::Operand& operand, std::size_t items)
        : memory(operand.memory), stride(static_cast<std::size_t>(operand.stride)) {
      for (std::size_t i = 0; i < items; ++i)
        offsets.push_back(operand.offset + i * static_cast<std::size_t>(operand.batch_stride));
    }
    const std::size_t* data() const { return offsets.data(); }
    cl_mem memory;
    std::size_t stride;
    std::vector<std::size_t> offsets;
  };
  template <class T>
  static const void* data(const std::vector<T>& numbers) {
    return numbers.data();
  }

  std::string full_name(const std::string& name, const std::string& before = "") const {
    return "CLBlast" + before + "SDCZ"[static_cast<int>(call_.precision)] + name;
  }

  template <class... Arguments>
  void pass_all(const std::string& name, const Arguments&... arguments) {
    pass<sizeof...(Arguments)>(name, arguments...);
  }
  /// As CblasCall's.
  template <std::size_t left, class First, class... Rest>
  void pass(const std::string& name, const First& first, const Rest&... rest) {
    if constexpr (left == 0) {
      auto* const function =
          library_.function<int(First, Rest..., cl_command_queue*, cl_event*)>(name);
      check(name, function(first, rest..., &queue_, nullptr));
    } else if constexpr (std::is_same_v<First, Size>) {
      pass<left - 1>(name, rest..., first.value);
    } else if constexpr (std::is_same_v<First, Strided>) {
      const auto& given = call_[first.slot];
      pass<left - 1>(name, rest..., given.memory, given.offset,
                     static_cast<std::size_t>(given.stride));
    } else if constexpr (std::is_same_v<First, Packed>) {
      pass<left - 1>(name, rest..., call_[first.slot].memory, call_[first.slot].offset);
    } else if constexpr (std::is_enum_v<First>) {
      pass<left - 1>(name, rest..., number(first));
    } else if constexpr (std::is_arithmetic_v<First> || std::is_pointer_v<First>) {
      pass<left - 1>(name, rest..., first);
    } else {  // a complex number
      pass<left - 1>(name, rest..., vector_of(first));
    }
  }

  static void check(const std::string& name, int status) {
    constexpr int not_implemented = -1024;
    if (status == not_implemented) throw Error(Errc::unsupported, name + " is not implemented");
    if (status != 0)
      throw Error(Errc::device, name + " failed with status " + std::to_string(status));
  }

  const SharedLibrary& library_;
  const Call& call_;
  cl_command_queue queue_;
};

}  // namespace

// Kiln's own library of that name, which may be installed in its place, is no rival: it needs
// libkiln.
Clblast::Clblast() : SharedLibrary({"libclblast.so.1", "libclblast.so"}) {
  if (present() && has("kiln_blas_run")) forget();
}

Clblast::Clblast(const std::filesystem::path& library) : SharedLibrary({library.c_str()}) {}

const Clblast& Clblast::get() {
  static const Clblast one;
  return one;
}

void Clblast::run(const Call& call, cl_command_queue queue, Items items) const {
  ClblastCall made(*this, call, queue);
  if (is_windowed(call.routine)) return made.images();
  if (call.batch == 1) return call_any(call, [&]<class T>() { return made; });
  if (call.routine != blas::Routine::gemm && call.routine != blas::Routine::axpy)
    throw Error(Errc::unsupported, "it has batches of gemm and axpy");
  const bool by_places = items == Items::at_places || call.routine == blas::Routine::axpy;
  const auto as = [&]<class T>(T) {
    by_places ? made.batch_by_places<T>() : made.batch_by_stride<T>();
  };
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
