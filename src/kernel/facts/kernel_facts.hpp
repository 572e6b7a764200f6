#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "kiln/error.hpp"
#include "kiln/formats/spirv.hpp"

namespace kiln {

/// A type's place in memory (OpenCL C 6.1.5, and C99 6.7.2.1 for structures, as compilers for
/// little-endian devices lay them out).
struct TypeLayout {
  std::uint64_t bytes = 0;      ///< 0: not known
  std::uint64_t alignment = 1;  ///< a power of two
  std::string name;             ///< of a built-in type: "uint", "float4"; empty for others
  bool known() const { return bytes != 0; }
  bool operator==(const TypeLayout&) const = default;
};

/// The layout of a built-in scalar or vector type by its words: "float4", "unsigned int",
/// "atomic_int". Unknown for types whose size the device decides (size_t), and for any other text.
TypeLayout builtin_layout(std::string_view words);

/// Whether numbers of a type of OpenCL C cannot be what another type, or vectors of it, is: their
/// sizes differ, or one is a floating-point type. Bytes (char, uchar) and types that are not built
/// in may be anything; halves pass as integers where a device has no half.
bool are_other_numbers(std::string_view given, std::string_view wanted);

/// What a kernel does with one of its parameters. Pointers to __local memory count as read and
/// written, values as read.
struct ParameterUse {
  std::string name;
  bool is_pointer = false;
  bool is_global = false;          ///< a pointer to __global memory
  bool is_constant_space = false;  ///< a pointer to __constant memory
  bool is_local = false;           ///< a pointer to __local memory
  bool read = false;               ///< may be read
  bool written = false;            ///< may be written: false only where that is certain
  bool read_and_written_at_different_index = false;
  std::string element_type;  ///< "float4", "unsigned int", "struct node"
  TypeLayout layout;         ///< of a value, or of an element behind the pointer
  bool operator==(const ParameterUse&) const = default;
};

/// What the source of a kernel says about it, above all about running it in parts: its NDRange cut
/// along dimension 0 at work-group boundaries, each part run with the real global offset on whole
/// buffers, and the parts' changes merged.
struct KernelFacts {
  std::string name;                     ///< the kernel's
  bool found = false;                   ///< the kernel is in the text
  bool splittable = false;              ///< nothing that it calls behaves differently in a part
  std::vector<std::string> reasons;     ///< why not: "line 12: calls get_group_id(0), whose …"
  bool suspicious = false;              ///< may be right, but only a run can tell
  std::vector<std::string> suspicions;  ///< why
  bool uses_local_memory = false, uses_atomics = false;
  bool uses_barrier = false, uses_printf = false;
  bool data_dependent_writes = false;  ///< which elements are written depends on values in buffers
  /// Some buffer is read and written at different indices, so that a part may see what another one
  /// writes; and which of its elements are read depends on values in buffers.
  bool reads_what_is_written = false, data_dependent_reads = false;
  /// The highest dimension that it or a function that it calls asks about, plus 1; of a call whose
  /// dimension the text does not say, nothing.
  std::uint32_t dimensions = 1;
  std::array<std::uint64_t, 3> required_local_size{};  ///< reqd_work_group_size; 0: has none
  std::vector<ParameterUse> parameters;                ///< in argument order
  bool operator==(const KernelFacts&) const = default;
};

/// What a program has of all its kernels. Immutable, so threads share it.
using FactsPtr = std::shared_ptr<const std::vector<KernelFacts>>;

/// Those of the kernel of a name; null where there are none.
const KernelFacts* facts_of(const std::vector<KernelFacts>& all, std::string_view kernel);

/// Adds what holds where the text may also mean `other`, as on another device: of each fact the one
/// that allows less.
void add_worse(KernelFacts& facts, const KernelFacts& other);

/// Facts as bytes, for an Artifact: integers are little-endian, a text or list follows its 32-bit
/// length.
Bytes encode(const std::vector<KernelFacts>& facts);
/// Null where the bytes are anything else than what encode() gives.
FactsPtr decode_kernel_facts(ByteView bytes);

/// What a SPIR-V module says of a kernel: its parameters alone. So it is not to be split, with the
/// reason, and may write every buffer that it is given but __constant ones.
KernelFacts module_facts(const spirv::Module& module, std::string_view kernel);

/// Names of kernels for messages: the first twenty, and of each the begin; "none".
std::string names_text(const std::vector<std::string>& names);

/// What is said where a program, which messages call `program`, has no kernel of a name.
std::string no_kernel_text(std::string_view program, std::string_view kernel,
                           const std::vector<std::string>& names);

/// The kernel of a name in a module; `name` is what messages call the module. Error: bad_input,
/// with names that there are, twenty at most.
Expected<const spirv::Kernel*> kernel_of(const spirv::Module& module, std::string_view kernel,
                                         std::string_view name);

/// The constants of a module for messages: "0 (int, tile), 1 (float)"; "none".
std::string constants_text(const spirv::Module& module);

}  // namespace kiln
