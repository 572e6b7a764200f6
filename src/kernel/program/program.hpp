#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/data/bytes.hpp"
#include "device/context.hpp"
#include "device/device.hpp"
#include "kernel/facts/kernel_facts.hpp"
#include "kiln/error.hpp"
#include "kiln/formats/poclbin.hpp"
#include "kiln/formats/spirv.hpp"
#include "store/key/canonical.hpp"
#include "store/layer/memory_layer.hpp"

// What a program is made of, and the program itself: its kernels and their arguments, the Artifact
// that is kept of it, launch geometries and the variants that they need, building and loading by
// the driver.
namespace kiln {

/// One argument of a compiled kernel, as clGetKernelArgInfo tells it.
struct KernelArgument {
  cl_uint address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_uint access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_ulong qualifier = 0;
  std::string type;  ///< "float*", "int"
  std::string name;
  bool is_pointer() const { return address != CL_KERNEL_ARG_ADDRESS_PRIVATE; }
};

/// A kernel of a program. `has_arguments` is false where the driver tells nothing about them.
struct KernelInfo {
  std::string name;
  bool has_arguments = false;
  std::vector<KernelArgument> arguments;
};

/// What starts a program without a compiler.
struct Artifact {
  enum class Form : std::uint8_t {
    pocl_archive = 1,  ///< grows: holds a set of local-size variants
    driver_binary = 2  ///< what CL_PROGRAM_BINARIES gave: PTX (which the driver still assembles)
  };
  Form form = Form::driver_binary;
  std::vector<KernelInfo> kernels;
  Bytes binary;
  FactsPtr facts = nullptr;  ///< of its kernels; null where its text was not read
};

/// The stored form: u8 form, then kernels and binary with u32/u64 lengths, little endian; then,
/// with a u64 length, the facts of the kernels (kernel/facts/kernel_facts.hpp), which schema 1
/// lacked. A length of 0 says that they are not known.
constexpr std::uint32_t artifact_schema = 2;
Bytes encode(const Artifact& artifact);
/// Every length is checked; nothing may be left over. Errors: corrupt, also for an unknown schema.
Expected<Artifact> decode_artifact(ByteView bytes, std::uint32_t schema);

/// Asks a built program about its kernels. Throws kiln::Error.
std::vector<KernelInfo> describe_kernels(const cl::Program& program);

/// An NDRange: work-items in each dimension, the work-group's shape, the first global id. Always
/// explicit: Kiln never lets a driver choose the local size.
struct NDRange {
  unsigned dimensions = 1;
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
  std::array<std::size_t, 3> offset{0, 0, 0};

  bool operator==(const NDRange&) const = default;
};

/// A variant of a kernel that a launch will need; drivers other than PoCL have none.
struct KernelVariant {
  std::string kernel;
  poclbin::Variant variant;
  /// Needed for a part of a split run alone: where the kernel is known not to be split, it is not
  /// made.
  bool for_part = false;
};

inline KernelVariant variant_of(std::string kernel, const NDRange& range) {
  return {std::move(kernel), poclbin::Variant::for_launch(range.global, range.local, range.offset)};
}

/// Whether a device takes a SPIR-V module; `name` is what messages call it. Error: unsupported,
/// which names the device and what it takes.
Expected<void> takes_module(const Device& device, const spirv::Module& module,
                            const std::string& name);

/// A program that is not built yet, of OpenCL C or of a SPIR-V module's bytes (known by their first
/// word): by clCreateProgramWithIL of OpenCL 2.1, else by that of cl_khr_il_program. Throws
/// cl::Error.
cl::Program create_program(const cl::Context& context, const cl::Device& device,
                           const std::string& text);
/// One of what a driver gave as its binary, or of an archive; not built either. Throws cl::Error.
cl::Program create_program(const cl::Context& context, const cl::Device& device, ByteView binary);

/// What the driver's compiler said of a built program, without blanks at its end; "" where nothing.
std::string build_log(const cl::Program& program, const Device& device);

/// A driver's build log with its noise removed; the user's file names and lines are in it already,
/// since every text begins with #line.
Error build_error(const std::string& label, std::string log);

/// Builds from text, or a SPIR-V module's bytes, in this process. Throws Errc::build with the log.
cl::Program build_here(const Context& context, const Device& device, const std::string& text,
                       const std::string& options, const std::string& label);

/// Makes a program of an archive or a driver's binary. Throws where the driver refuses it.
cl::Program load_binary(const Context& context, const Device& device, ByteView binary,
                        const std::string& options);

/// The driver's binary of a built program. PoCL's only in the helper (see apart/job.hpp).
Bytes driver_binary(const cl::Program& program, const Device& device);

/// Errc::unsupported where PoCL's compiler would end this process: it finds no linker. The helper
/// has a PATH of its own where this process has none.
Expected<void> can_compile_here(const Device& device);

class Program;

/// Makes a variant of a program that its archive lacks, and keeps it; the Resolver's part of
/// Program::prepare. Throws Error where the driver's compiler fails on it: a launch would ask the
/// same compiler, in this process. What else goes wrong is left to the launch.
class VariantMaker {
 public:
  virtual ~VariantMaker() = default;
  virtual void make_variant(Program& program, const KernelVariant& variant) = 0;
};

/// A built program for one device of one context, owned by the context. Immutable but for the set
/// of its variants; thread-safe.
class Program {
 public:
  struct Parts {
    Key key;
    Bytes canonical;
    std::string label, options;
    DevicePtr device;
    cl::Program handle;
    std::vector<KernelInfo> kernels;
    Bytes archive;  ///< for PoCL, where it came from an archive; else empty
    VariantMaker* maker = nullptr;
    FactsPtr facts = nullptr;
    std::function<void()> keep;  ///< into the store; null where it is there, or cannot be
  };
  explicit Program(Parts parts);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Key& key() const { return parts_.key; }
  const Bytes& canonical() const { return parts_.canonical; }
  const std::string& label() const { return parts_.label; }
  const std::string& options() const { return parts_.options; }
  const DevicePtr& device() const { return parts_.device; }
  const cl::Program& cl() const { return parts_.handle; }
  /// The kernel of a name; throws not_found with the names that there are.
  const KernelInfo& kernel(std::string_view name) const;
  const std::vector<KernelInfo>& kernels() const { return parts_.kernels; }
  /// Whether the source has this kernel; true also where nothing is known of its kernels.
  bool may_have(std::string_view kernel) const;

  /// Makes sure that a launch of this geometry meets no compiler. A no-op but for PoCL archives.
  /// Throws Error where it cannot be launched: PoCL would end the process.
  void prepare(const KernelVariant& variant);
  /// Variants that the archive still lacks, of those given. None where it holds no bitcode (then
  /// the driver uses the generic function, and could make no variant), and none of kernels that the
  /// program does not have.
  std::vector<KernelVariant> missing(const std::vector<KernelVariant>& wanted) const;
  /// Errc::unsupported where the archive has neither the variant, nor the generic function, nor the
  /// bitcode that the variant could be made of.
  Expected<void> startable(const KernelVariant& variant) const;

  /// Bytes of the kernel's own __local variables, as the archive has them; 0 where there is none.
  std::uint64_t own_local_bytes(const std::string& kernel) const;

  /// The archive as it is now; replaced when variants are merged in.
  Bytes archive() const;
  void replace_archive(Bytes archive);
  /// What its text says of its kernels; null where that is not known (Resolver::facts).
  FactsPtr facts() const;
  void set_facts(FactsPtr facts);

  /// Whether it was made for a trial, and could be kept.
  bool is_unkept() const { return is_unkept_.load(std::memory_order_acquire); }
  /// Keeps it, if it is not kept yet.
  void keep() {
    if (is_unkept() && is_unkept_.exchange(false)) std::exchange(parts_.keep, nullptr)();
  }

 private:
  void list_variants();
  bool has(const KernelVariant& variant) const {
    return variants_.contains({variant.kernel, variant.variant});
  }
  Parts parts_;
  mutable std::mutex mutex_;
  std::set<std::pair<std::string, poclbin::Variant>> variants_;
  std::map<std::string, std::uint64_t> own_local_bytes_;
  std::set<std::string> generic_;  ///< kernels with a function for any local size
  bool has_bitcode_ = false;
  std::atomic<bool> is_unkept_;
};

/// Programs of one context: the memory layer. Attached to the Context, so it goes with it.
struct ProgramId {
  Key key;
  cl_device_id device;
  bool operator==(const ProgramId&) const = default;
};
struct ProgramIdHash {
  std::size_t operator()(const ProgramId& id) const noexcept {
    // Devices of one context are few; their addresses differ in the higher bits.
    return KeyHash{}(id.key) ^ (reinterpret_cast<std::size_t>(id.device) >> 4);
  }
};
struct ProgramTable {
  MemoryLayer<ProgramId, std::unique_ptr<Program>, ProgramIdHash> programs;
};

}  // namespace kiln
