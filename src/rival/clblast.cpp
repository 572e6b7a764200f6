#include "rival/clblast.hpp"

#include <tuple>

#include "rival/routine_call.hpp"

namespace kiln::rival {
namespace {

using blas::Call;
using blas::Slot;

cl_float2 vector_of(const std::complex<float>& value) { return {{value.real(), value.imag()}}; }
cl_double2 vector_of(const std::complex<double>& value) { return {{value.real(), value.imag()}}; }

/// A call in CLBlast's words: sizes are size_t, operands memory objects with offset and stride,
/// complex scalars OpenCL's vectors by value; a reduction's result comes after the size, and queue
/// and event last.
class Interface {
 public:
  Interface(const SharedLibrary& library, const Call& call, cl_command_queue queue)
      : library_(library), call_(call), queue_(queue) {}

  template <class... Arguments>
  void call(const std::string& name, const Arguments&... arguments) {
    invoke("CLBlast" + std::string(1, letter()) + name, std::tuple_cat(passed(arguments)...));
  }
  template <class... Arguments>
  void call_mixed(const std::string& name, const Arguments&...) {
    throw Error(Errc::unsupported, "CLBlast has no " + name + " by a real scalar");
  }
  template <class Result, class... Operands>
  void reduce(const std::string& name, Size n, const Operands&... operands) {
    constexpr const char* norms[] = {"S", "D", "Sc", "Dz"};
    std::string full = std::string(1, letter()) + name;
    if constexpr (std::is_same_v<Result, std::size_t>)
      full = "i" + std::string(1, letter()) + "amax";
    else if (name == "nrm2" || name == "asum")
      full = norms[static_cast<int>(call_.precision)] + name;
    invoke("CLBlast" + full,
           std::tuple_cat(passed(n), passed(Packed{Slot::z}), passed(operands)...));
  }

 private:
  char letter() const { return "SDCZ"[static_cast<int>(call_.precision)]; }
  static std::tuple<std::size_t> passed(Size size) { return size.value; }
  static std::tuple<float> passed(float value) { return value; }
  static std::tuple<double> passed(double value) { return value; }
  template <class R>
  static auto passed(const std::complex<R>& value) {
    return std::tuple(vector_of(value));
  }
  std::tuple<cl_mem, std::size_t, std::size_t> passed(Strided operand) const {
    const auto& given = call_[operand.slot];
    return {given.memory, given.offset, static_cast<std::size_t>(given.stride)};
  }
  std::tuple<cl_mem, std::size_t> passed(Packed operand) const {
    return {call_[operand.slot].memory, call_[operand.slot].offset};
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static std::tuple<int> passed(Enum value) { return number(value); }

  template <class... C>
  void invoke(const std::string& name, const std::tuple<C...>& arguments) {
    auto* const function = library_.function<int(C..., cl_command_queue*, cl_event*)>(name);
    const int status = std::apply(
        function, std::tuple_cat(arguments, std::tuple(&queue_, static_cast<cl_event*>(nullptr))));
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

const Clblast& Clblast::get() {
  static const Clblast one;
  return one;
}

void Clblast::run(const Call& call, cl_command_queue queue) const {
  call_any(call, [&]<class T>() { return Interface(library_, call, queue); });
}

}  // namespace kiln::rival
