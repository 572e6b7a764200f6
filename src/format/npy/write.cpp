#include <fmt/format.h>

#include "format/npy.hpp"

namespace kiln::npy {
namespace {

constexpr std::size_t alignment = 64;

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

Bytes write(Type type, std::span<const std::size_t> shape, ByteView data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr_of(type), shape_text(shape));
  constexpr std::size_t before = 10;  // magic, version, length
  // Blanks and a line feed up to the next multiple, so that the file can be mapped and used.
  const std::size_t end = (before + header.size() + 1 + alignment - 1) / alignment * alignment;
  header.resize(end - before - 1, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  const std::string front =
      std::string("\x93NUMPY\x01\x00", 8) + std::string(as_text(bytes_of(length))) + header;
  Bytes bytes;
  bytes.reserve(end + data.size());
  append(bytes, front);
  append(bytes, data);
  return bytes;
}

}  // namespace kiln::npy
