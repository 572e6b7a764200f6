#pragma once

#include <concepts>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "kiln/formats/spirv.hpp"
#include "kiln/runtime.hpp"

/// Running an OpenCL kernel without host code of one's own: compiled once and kept, its arguments
/// checked against it, split over devices only where the result stays that of one device.
namespace kiln {

/// A value for a specialization constant of a SPIR-V module, whose type the module says.
struct SpecializationConstant {
  template <class T>
  requires std::is_arithmetic_v<T> SpecializationConstant(std::uint32_t spec_id, T number)
      : id(spec_id) {
    if constexpr (std::is_same_v<T, bool>)
      value = number;
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>)
      value = static_cast<std::int64_t>(number);
    else
      value = static_cast<std::uint64_t>(number);
  }
  std::uint32_t id = 0;  ///< its SpecId
  spirv::Value value;
};

/// Where a program is.
struct Source {
  /// OpenCL C or SPIR-V in a file, told apart by its first bytes. What OpenCL C includes is looked
  /// for in its folder, then in KernelOptions.
  static Source file(std::filesystem::path path) { return {std::move(path), {}, {}, false}; }
  /// OpenCL C as text. `name` is what messages call it.
  static Source text(std::string text, std::string name = "source.cl") {
    return {std::filesystem::path(std::move(name)), std::move(text), {}, false};
  }
  /// A SPIR-V module, which is copied, with values for its specialization constants:
  /// `Source::spirv(bytes, {{0, 16}, {1, 2.5f}})`. It runs whole on devices that take SPIR-V
  /// (DeviceInfo::il_versions): what a part of a run would change is known of OpenCL C alone.
  static Source spirv(std::span<const std::byte> bytes,
                      std::vector<SpecializationConstant> constants = {},
                      std::string name = "module.spv") {
    return {std::filesystem::path(std::move(name)),
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
            std::move(constants), true};
  }
  std::filesystem::path path;  ///< of the file; of a text or module, its name
  std::string content;         ///< a text, or a module's bytes; empty: the file's
  std::vector<SpecializationConstant> constants;  ///< of a module, in memory or in a file
  bool is_spirv = false;                          ///< `content` is a module
};

struct KernelOptions {
  /// Name and value of each -D; a SPIR-V module takes none.
  std::vector<std::pair<std::string, std::string>> macros = {};
  std::vector<std::filesystem::path> include_folders = {};  ///< for includes, in this order
  std::vector<std::string> options = {};                    ///< further ones for the compiler
};

/// __local memory of so many bytes.
struct LocalMemory {
  std::size_t bytes = 0;
};

/// One argument of a kernel. Made by in(), out(), inout(), local(), value(), from an Array, or from
/// a number or structure.
class CallArgument {
 public:
  struct HostMemory {
    std::span<std::byte> data;
    std::size_t element_bytes = 0;  ///< 0: not known
    Access access = Access::in;
  };
  struct Value {
    std::vector<std::byte> bytes;
  };
  /// A number that becomes what the kernel's text says of the parameter: for languages whose
  /// numbers have no type of C. An integer for an integer type must fit it (else bad_input).
  struct Number {
    std::variant<std::int64_t, std::uint64_t, double> value;
  };
  using Content =
      std::variant<HostMemory, std::shared_ptr<ArrayStorage>, Value, LocalMemory, Number>;

  explicit CallArgument(HostMemory memory) : content_(memory) {}
  explicit CallArgument(Value value) : content_(std::move(value)) {}
  explicit CallArgument(Number number) : content_(number) {}
  explicit CallArgument(std::shared_ptr<ArrayStorage> array) : content_(std::move(array)) {}
  /// What the kernel does with the elements is taken from its text.
  template <class T>
  CallArgument(const Array<T>& array) : content_(array.storage()) {}
  CallArgument(LocalMemory local) : content_(local) {}
  /// A scalar, vector or structure of the size that the kernel has.
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::range<T>)
      CallArgument(const T& value)
      : content_(Value{{reinterpret_cast<const std::byte*>(&value),
                        reinterpret_cast<const std::byte*>(&value) + sizeof value}}) {}
  /// The same argument of numbers of a type of OpenCL C ("float", "uint"): a call is refused
  /// (bad_input) where the kernel takes numbers of another size, or floating-point ones in place of
  /// integers. What takes bytes (char, uchar) or structures takes all. Empty: not known.
  CallArgument of_numbers(std::string type) && {
    number_type_ = std::move(type);
    return std::move(*this);
  }
  const Content& content() const { return content_; }
  const std::string& number_type() const { return number_type_; }

 private:
  Content content_;
  std::string number_type_;
};

/// A contiguous range of elements in the caller's memory, which must outlive each use of the call.
/// Memory aligned to 128 bytes is used by CPU devices without a copy.
template <class Data>
concept HostElements = std::ranges::contiguous_range<Data> && std::ranges::sized_range<Data> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Data>>;

template <HostElements Data>
CallArgument host_argument(Data& data, Access access) {
  using T = std::ranges::range_value_t<Data>;
  auto* begin = const_cast<std::remove_const_t<T>*>(std::ranges::data(data));
  // Bytes say nothing of what the kernel takes them for.
  return CallArgument(
      CallArgument::HostMemory{std::as_writable_bytes(std::span(begin, std::ranges::size(data))),
                               sizeof(T) > 1 ? sizeof(T) : 0, access});
}
template <HostElements Data>
CallArgument in(const Data& data) {
  return host_argument(data, Access::in);
}
/// `data` is a container or a span of elements that may be changed.
template <HostElements Data>
CallArgument out(Data&& data) {
  static_assert(!std::is_const_v<std::remove_reference_t<decltype(*std::ranges::data(data))>>);
  return host_argument(data, Access::out);
}
template <HostElements Data>
CallArgument inout(Data&& data) {
  static_assert(!std::is_const_v<std::remove_reference_t<decltype(*std::ranges::data(data))>>);
  return host_argument(data, Access::inout);
}
inline LocalMemory local(std::size_t bytes) { return {bytes}; }
/// A value that C++ takes for a range of elements, such as a std::array for a vector.
template <class T>
requires std::is_trivially_copyable_v<T> CallArgument value(const T& value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  return CallArgument(CallArgument::Value{{begin, begin + sizeof value}});
}

/// Work-items in one to three dimensions, and the work-group's shape, which must divide them.
/// Without a shape each size of it is a power of two that divides, and a work-group has at most 256
/// work-items: 256, 16 x 16 or 8 x 8 x 4 where that divides.
struct Range {
  std::vector<std::size_t> global = {}, local = {};
};

/// Whether writes outside of buffers are looked for. A checked run has zones before and behind each
/// buffer that show what a kernel writes there. A zone is as large as the buffer, rounded up to
/// 4 KiB and at most 256 KiB; where the device's largest allocation leaves no room there is none,
/// and nothing is found. Costs a copy of all buffers and a wait for each run. What a kernel only
/// reads, and local memory, is not checked.
enum class Bounds : std::uint8_t { unchecked, checked };

/// How a run that waits is placed.
struct RunOptions {
  /// "0" to "10" (tenths for the first device), weights "3:1", "auto" (learnt from earlier runs) or
  /// "dynamic". Split only where the result is that of one device.
  std::string partition = "10";
  Bounds bounds = Bounds::unchecked;
};

/// Where and after what a run is enqueued.
struct EnqueueOptions {
  std::vector<Event> after = {};     ///< what must be complete before
  cl_command_queue queue = nullptr;  ///< of the Runtime, or any of its contexts'; null: the first
};

/// What a run did. Times are nanoseconds.
struct RunSummary {
  std::int64_t wall_ns = 0;
  bool split = false;  ///< more than one device worked
  std::string reason;  ///< why not, although it was asked for
  struct Share {
    std::string device;
    std::size_t groups = 0;  ///< work-groups of dimension 0
    std::int64_t kernel_ns = 0, transfer_ns = 0;
  };
  std::vector<Share> shares;
};

/// A kernel with its arguments. One thread at a time; several calls of one kernel may run at once.
/// Prepared at its first run of a range: to run it again costs the launch alone. A copy is the same
/// call.
class KILN_API KernelCall {
 public:
  /// Runs and waits; host memory and Arrays are current afterwards. Of `inout` host memory, every
  /// run of a range starts from the contents at the first one of it; an Array's contents go on, and
  /// in a call that has Arrays those of host memory, too.
  /// Throws Error: build with the driver's log; bad_input where arguments or range do not fit the
  /// kernel or a device; device, and, of a run that is checked, with the parameter, how many
  /// elements were written outside of it, and which is the first.
  RunSummary run(const Range& range, const RunOptions& options = {});

  /// Enqueues a run on one queue, with the transfers that it needs, and does not wait but for a
  /// compile (prepare() does that before). The event is complete when the results are in the
  /// caller's memory; Arrays know by themselves. Host memory must stay until then. Throws as run().
  Event enqueue(const Range& range, const EnqueueOptions& options = {});

  /// Compiles what enqueue() with the same range and queue needs, or finds it in the store.
  void prepare(const Range& range, const EnqueueOptions& options = {});

  /// For Kiln's own modules.
  struct State;
  State& state() const;

 private:
  friend class Kernel;
  explicit KernelCall(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// A kernel of a program, for all devices of a Runtime. Cheap to copy. Thread-safe.
class KILN_API Kernel {
 public:
  /// The arguments in the kernel's order: `saxpy(in(x), inout(y), 2.0f)`.
  template <class... Arguments>
  KernelCall operator()(const Arguments&... arguments) const {
    return call({CallArgument(arguments)...});
  }
  /// The same for a list that is made at run time.
  KernelCall call(std::vector<CallArgument> arguments) const;

 private:
  friend class Runtime;
  friend class KernelCall;
  struct State;
  explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace kiln
