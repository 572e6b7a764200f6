#include "format/spirv/types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/bytes.hpp"

namespace kiln::spirv {
namespace {

/// Beyond it the size of a type is as good as unknown.
constexpr std::size_t largest_type = std::size_t{1} << 32;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

Type opaque(std::string name) {
  Type type;
  type.kind = Type::Kind::opaque;
  type.name = std::move(name);
  return type;
}

}  // namespace

std::string_view scalar_name(bool floating, unsigned bits) {
  switch (bits) {
    case 8:
      return floating ? "" : "char";
    case 16:
      return floating ? "half" : "short";
    case 32:
      return floating ? "float" : "int";
    case 64:
      return floating ? "double" : "long";
    default:
      return "";
  }
}

const Type* Types::find(std::uint32_t id) const {
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : &found->second;
}

const Type& Types::known(const Instruction& from, std::uint32_t id, std::string_view what) const {
  const Type* type = find(id);
  if (type == nullptr)
    from.refuse(
        fmt::format("found id {} for {}, expected a type that is declared before", id, what));
  return *type;
}

std::string Types::name_of(std::uint32_t id) const {
  // Pointers to pointers are rare, and a hostile module has a million of them.
  constexpr int deepest = 4;
  std::string stars;
  const Type* type = find(id);
  for (int depth = 0; type != nullptr && type->kind == Type::Kind::pointer; ++depth) {
    if (depth == deepest) return "";
    stars += '*';
    id = type->element;
    type = find(id);
  }
  if (type == nullptr) return stars.empty() ? "" : "void" + stars;
  if (!type->name.empty()) return type->name + stars;
  if (type->kind != Type::Kind::structure) return "";
  const auto named = names_.find(id);
  std::string tag = named == names_.end() ? "struct" : named->second;
  if (tag.starts_with("struct.")) tag[6] = ' ';
  return tag + stars;
}

Type Types::scalar(const Instruction& from, bool floating) const {
  Type type;
  type.kind = Type::Kind::scalar;
  const std::uint32_t bits = from.operand(1, "the width of a type");
  type.name = scalar_name(floating, bits);
  if (type.name.empty()) return type;  // an extension's: not one that a kernel takes
  type.bytes = type.alignment = bits / 8;
  return type;
}

Type Types::vector(const Instruction& from) const {
  const Type& element = known(from, from.operand(1, "a vector's type"), "a vector's components");
  const std::uint32_t width = from.operand(2, "a vector's width");
  Type type;
  type.kind = Type::Kind::vector;
  const bool usual = width == 2 || width == 3 || width == 4 || width == 8 || width == 16;
  if (!usual || element.kind != Type::Kind::scalar || element.bytes == 0) return type;
  type.bytes = type.alignment = element.bytes * (width == 3 ? 4 : width);
  type.name = element.name + std::to_string(width);
  return type;
}

Type Types::array(const Instruction& from) const {
  const Type& element = known(from, from.operand(1, "an array's type"), "an array's elements");
  const auto length = integers_.find(from.operand(2, "an array's length"));
  Type type;
  type.kind = Type::Kind::array;
  type.alignment = element.alignment;
  // A length that is specialized is not known here.
  if (length == integers_.end() || element.bytes == 0) return type;
  const auto bytes = CheckedSize(element.bytes) * length->second;
  if (bytes.fits(largest_type)) type.bytes = *bytes.get();
  return type;
}

Type Types::structure(const Instruction& from) const {
  const std::uint32_t id = from.operand(0, "the id of a structure");
  const bool packed = packed_.contains(id);
  Type type;
  type.kind = Type::Kind::structure;
  bool is_known = true;
  std::uint64_t bytes = 0;
  for (std::size_t i = 1; i < from.operands(); ++i) {
    const Type* member = find(from.operand(i, "a member"));  // of a pointer it may come later
    is_known = is_known && member != nullptr && member->bytes != 0 && bytes <= largest_type;
    if (!is_known) break;
    const std::uint64_t alignment = packed ? 1 : member->alignment;
    bytes = rounded_up(bytes, alignment) + member->bytes;
    type.alignment = std::max(type.alignment, alignment);
  }
  bytes = rounded_up(bytes, type.alignment);
  if (is_known && bytes <= largest_type) type.bytes = bytes;
  return type;
}

Type Types::pointer(const Instruction& from) const {
  Type type;
  type.kind = Type::Kind::pointer;
  type.bytes = type.alignment = address_bits_ / 8;
  type.storage = from.operand(1, "a pointer's storage class");
  type.element = from.operand(2, "the type that a pointer points to");
  return type;
}

void Types::take(const Instruction& from) {
  Type type;
  switch (from.opcode()) {
    case op_constant: {
      // A length of more than 32 bits is beyond every array that a kernel takes by value.
      const Type* of = find(from.operand(0, "a constant's type"));
      if (of != nullptr && of->kind == Type::Kind::scalar && from.operands() == 3)
        integers_[from.operand(1, "the id of a constant")] = from.operand(2, "a constant's value");
      if (of != nullptr && of->kind == Type::Kind::scalar && from.operands() == 4 &&
          from.operand(3, "a constant's value") == 0)
        integers_[from.operand(1, "the id of a constant")] = from.operand(2, "a constant's value");
      return;
    }
    case op_type_int:
    case op_type_float:
      type = scalar(from, from.opcode() == op_type_float);
      break;
    case op_type_vector:
      type = vector(from);
      break;
    case op_type_array:
      type = array(from);
      break;
    case op_type_struct:
      type = structure(from);
      break;
    case op_type_pointer:
      type = pointer(from);
      break;
    case op_type_function:
      type.kind = Type::Kind::function;
      break;
    case op_type_bool:
      type.name = "bool";
      break;
    case op_type_void:
      type.name = "void";
      break;
    case op_type_image:
    case op_type_sampled_image:
      type = opaque("image");
      break;
    case op_type_sampler:
      type = opaque("sampler_t");
      break;
    case op_type_pipe:
      type = opaque("pipe");
      break;
    case op_type_opaque:
    case op_type_event:
    case op_type_device_event:
    case op_type_reserve_id:
    case op_type_queue:
      type = opaque("opaque type");
      break;
    default:
      return;
  }
  if (types_.size() == most_types)
    from.refuse(fmt::format("found more than {} types, expected at most that", most_types));
  const std::uint32_t id = from.operand(0, "the id of a type");
  if (!types_.emplace(id, std::move(type)).second)
    from.refuse(fmt::format("found id {}, expected one that no other type has", id));
}

}  // namespace kiln::spirv
