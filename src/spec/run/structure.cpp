#include "spec/run/structure.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>

namespace kiln::spec {
namespace {

void add_leaves(const Type& type, std::size_t offset, const std::string& path,
                std::vector<StructLeaf>& leaves) {
  if (!type.is_struct()) {
    leaves.push_back({type, offset, path});
    return;
  }
  if (type.fields.empty()) {  // bytes of which nothing is known
    for (std::size_t i = 0; i < type.struct_bytes; ++i)
      leaves.push_back({Type{Scalar::u8}, offset + i, fmt::format("{}[{}]", path, i)});
    return;
  }
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const auto& field = type.fields[i];
    const std::string name = (path.empty() ? "" : path + ".") +
                             (field.name.empty() ? fmt::format("field {}", i) : field.name);
    for (std::size_t k = 0; k < field.count; ++k)
      add_leaves(field.type, offset + field.offset + k * field.type.bytes(),
                 field.count > 1 ? fmt::format("{}[{}]", name, k) : name, leaves);
  }
}

}  // namespace

std::vector<StructLeaf> leaves_of(const Type& type) {
  std::vector<StructLeaf> leaves;
  if (!type.fields.empty()) add_leaves(type, 0, "", leaves);
  return leaves;
}

Bytes gather(ByteView structures, std::size_t stride, const StructLeaf& leaf) {
  const std::size_t count = structures.size() / stride, bytes = leaf.type.bytes();
  Bytes values(count * bytes);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(values.data() + i * bytes, structures.data() + i * stride + leaf.offset, bytes);
  return values;
}

void scatter(ByteView values, std::span<std::byte> structures, std::size_t stride,
             const StructLeaf& leaf) {
  const std::size_t count = structures.size() / stride, bytes = leaf.type.bytes();
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(structures.data() + i * stride + leaf.offset, values.data() + i * bytes, bytes);
}

}  // namespace kiln::spec
