#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kiln/formats/spirv.hpp"

// The words of a module, and its instructions one after another.
namespace kiln::spirv {

inline constexpr std::uint32_t magic = 0x07230203, swapped_magic = 0x03022307;
inline constexpr std::size_t header_words = 5;

/// Opcodes of the instructions that are read (SPIR-V Specification, section 3.42).
enum Opcode : std::uint16_t {
  op_name = 5,
  op_memory_model = 14,
  op_entry_point = 15,
  op_execution_mode = 16,
  op_capability = 17,
  op_type_void = 19,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_image = 25,
  op_type_sampler = 26,
  op_type_sampled_image = 27,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_opaque = 31,
  op_type_pointer = 32,
  op_type_function = 33,
  op_type_event = 34,
  op_type_device_event = 35,
  op_type_reserve_id = 36,
  op_type_queue = 37,
  op_type_pipe = 38,
  op_constant = 43,
  op_spec_constant_true = 48,
  op_spec_constant_false = 49,
  op_spec_constant = 50,
  op_function = 54,
  op_function_parameter = 55,
  op_function_end = 56,
  op_decorate = 71,
  op_decoration_group = 73,
  op_group_decorate = 74
};

/// An instruction: a view of a module's words.
class Instruction {
 public:
  Instruction(ByteView bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::uint16_t opcode() const { return static_cast<std::uint16_t>(raw(0)); }
  std::size_t words() const { return raw(0) >> 16; }
  std::size_t at() const { return at_; }  ///< its first byte in the module

  /// A word behind the first (0 is the one behind it). Throws Error (bad_input) where the
  /// instruction has fewer; `what` is the word's name for the message.
  std::uint32_t operand(std::size_t index, std::string_view what) const;
  std::size_t operands() const { return words() - 1; }
  /// A text that begins at an operand; `index` moves behind it.
  std::string text(std::size_t& index, std::string_view what) const;

  [[noreturn]] void refuse(const std::string& message) const;

 private:
  std::uint32_t raw(std::size_t word) const;
  ByteView bytes_;
  std::size_t at_;
};

/// Calls `visit` with each instruction of a module in little-endian order whose header is right.
/// Throws Error (bad_input) where a length leads outside of the module.
template <class Visit>
void for_each_instruction(ByteView module, const Visit& visit);

[[noreturn]] void refuse_at(std::size_t at, const std::string& message, Errc code);

template <class Visit>
void for_each_instruction(ByteView module, const Visit& visit) {
  for (std::size_t at = header_words * 4; at < module.size();) {
    const Instruction instruction(module, at);
    const std::size_t words = instruction.words();
    if (words == 0 || words > (module.size() - at) / 4)
      refuse_at(at,
                "found an instruction of " + std::to_string(words) + " words, expected 1 to the " +
                    std::to_string((module.size() - at) / 4) + " that are left",
                Errc::bad_input);
    visit(instruction);
    at += words * 4;
  }
}

/// Checks size, magic and header of a module in either byte order. Throws Error.
void check_header(ByteView module);

}  // namespace kiln::spirv
