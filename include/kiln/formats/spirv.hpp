#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kiln/bytes.hpp"
#include "kiln/error.hpp"

/// SPIR-V modules of OpenCL kernels (Khronos' "SPIR-V Specification", versions 1.0 to 1.6): which
/// kernels a module has, what they take, and its specialization constants. Pure functions over byte
/// spans: no files, no driver. Thread-safe.
///
/// The grammar; a word has 32 bits, in the byte order that the first one shows:
///
///     module      = 0x07230203 version generator bound 0 instruction*     ; bound: above every id
///     version     = 0x00 major minor 0x00                                 ; bytes, highest first
///     instruction = (count << 16 | opcode) word{count - 1}                ; count is at least 1
///     text        = UTF-8, a zero byte, zeros up to a word                ; lowest byte first
///
/// Only what says something of a kernel's interface is read: entry points, names, decorations,
/// types, constants, the heads of functions. Of everything else the length alone is checked, so a
/// module that is accepted may still be one that a driver's compiler refuses.
namespace kiln::spirv {

/// Bytes of a module and ids in it, at most; kernels, and parameters of all of them; types.
inline constexpr std::size_t largest_module = 16u << 20;
inline constexpr std::uint32_t most_ids = 0x3fffff;
inline constexpr std::size_t most_kernels = 1024, most_parameters = 65536;
inline constexpr std::size_t most_types = std::size_t{1} << 18;

/// What a constant's bits stand for. A kernel's module does not say whether an integer is signed.
enum class ConstantKind : std::uint8_t { boolean, integer, floating };

/// A specialization constant: one that may get another value before a module is compiled.
struct Constant {
  std::uint32_t id = 0;  ///< the decoration SpecId
  std::string name;      ///< where the module keeps names; else empty
  ConstantKind kind = ConstantKind::integer;
  unsigned bits = 32;       ///< 1 of a boolean, else 8, 16, 32 or 64
  std::uint64_t value = 0;  ///< that it has in the module: its low bits
  /// "int", "double", "bool": OpenCL C's word for the type.
  KILN_API std::string type_name() const;
};

/// Where a parameter's memory is; value: it is no pointer; opaque: an image, a sampler or their
/// like.
enum class Space : std::uint8_t { value, global, constant, local, opaque };

/// A parameter of a kernel.
struct Parameter {
  std::string name;            ///< where the module keeps names; else empty
  Space space = Space::value;  ///< of what it points to
  std::string type;            ///< in OpenCL C's words, as far as the module says: "float4", "int*"
  std::uint64_t bytes = 0;     ///< of a value; 0: not known, or not the same on all devices
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<std::uint32_t, 3> required_local_size{};  ///< zeros: none is required
};

/// What a module says of itself.
struct Module {
  unsigned major = 1, minor = 0;  ///< version of SPIR-V
  unsigned address_bits = 64;     ///< of the devices that it is for: 32 or 64
  std::vector<Kernel> kernels;
  std::vector<Constant> constants;  ///< sorted by their ids

  /// The kernel of a name, the constant of a SpecId; null where there is none. They live as long as
  /// the Module.
  KILN_API const Kernel* find(std::string_view kernel) const;
  KILN_API const Constant* constant(std::uint32_t id) const;
};

/// Whether bytes begin as a module does, in either byte order.
KILN_API bool is_module(ByteView bytes);

/// Reads a module. Errors say the byte, what was found and what was expected: bad_input for what is
/// not sound, unsupported for a sound one that is not of OpenCL kernels or of a later version.
KILN_API Expected<Module> parse(ByteView bytes);

/// The same module in little-endian order, as drivers take it. Bytes that are no words are cut off.
KILN_API Bytes little_endian(ByteView bytes);

/// What a caller gives for a constant.
using Value = std::variant<std::int64_t, std::uint64_t, double, bool>;

/// A value for a constant, checked against its type.
struct Setting {
  std::uint32_t id = 0;
  ConstantKind kind = ConstantKind::integer;
  unsigned bits = 32;
  std::uint64_t value = 0;  ///< the low `bits` bits
  bool operator==(const Setting&) const = default;
  /// Of an integer, sign-extended; of a boolean 0 or 1.
  KILN_API std::int64_t as_integer() const;
  /// Of a floating constant: a half, a float or a double, none of which loses anything.
  KILN_API double as_number() const;
};

/// A value as the bits of a constant. Integers take integers in the range of the signed or the
/// unsigned type, booleans also 0 and 1, floating-point constants every number, rounded to their
/// type. Errors: bad_input ("found 300, expected an integer of type char or uchar, -128 to 255");
/// unsupported for a half.
KILN_API Expected<Setting> setting(const Constant& constant, const Value& value);

/// The module with these values in place of its constants' own, in little-endian order: what
/// clSetProgramSpecializationConstant does, for drivers that have no such function, too. Errors:
/// those of parse(); bad_input for a constant that is not there or is of another type.
KILN_API Expected<Bytes> specialize(ByteView module, std::span<const Setting> settings);

}  // namespace kiln::spirv
