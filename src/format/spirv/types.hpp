#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/spirv/words.hpp"

// The types of a module and how they lie in memory.
namespace kiln::spirv {

/// What of SPIR-V's storage classes is told apart.
enum Storage : std::uint32_t {
  uniform_constant = 0,
  workgroup = 4,
  cross_workgroup = 5,
  function = 7
};

/// A type as its instruction declares it, with its layout as OpenCL C has it (6.1.5, and C99
/// 6.7.2.1 for structures).
struct Type {
  enum class Kind : std::uint8_t {
    scalar,
    vector,
    array,
    structure,
    pointer,
    function,
    opaque,
    other
  };
  Kind kind = Kind::other;
  std::uint64_t bytes = 0;      ///< 0: not known, or not the same on all devices
  std::uint64_t alignment = 1;  ///< a power of two
  std::uint32_t element = 0;    ///< id of the element's type, or of what a pointer points to
  std::uint32_t storage = 0;    ///< of a pointer
  std::string name;             ///< of scalars, vectors, opaque types: OpenCL C's words
};

class Types {
 public:
  explicit Types(unsigned address_bits) : address_bits_(address_bits) {}

  /// Takes an instruction that declares a type or an integer constant (the length of arrays);
  /// others are passed over. Throws Error (bad_input).
  void take(const Instruction& instruction);
  /// Structures of this id have no padding; to be said before it is declared.
  void set_packed(std::uint32_t id) { packed_.insert(id); }
  void set_name(std::uint32_t id, std::string name) { names_[id] = std::move(name); }

  const Type* find(std::uint32_t id) const;
  /// "float4", "int*", "struct node"; "" where it has no such name.
  std::string name_of(std::uint32_t id) const;

 private:
  Type scalar(const Instruction& from, bool floating) const;
  Type vector(const Instruction& from) const;
  Type array(const Instruction& from) const;
  Type structure(const Instruction& from) const;
  Type pointer(const Instruction& from) const;
  const Type& known(const Instruction& from, std::uint32_t id, std::string_view what) const;

  unsigned address_bits_;
  std::unordered_map<std::uint32_t, Type> types_;
  std::unordered_map<std::uint32_t, std::uint64_t> integers_;  ///< constants
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_set<std::uint32_t> packed_;
};

/// OpenCL C's word for a scalar; empty where there is none.
std::string_view scalar_name(bool floating, unsigned bits);

}  // namespace kiln::spirv
