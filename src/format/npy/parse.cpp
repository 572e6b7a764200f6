#include <fmt/format.h>

#include "base/cursor.hpp"
#include "format/npy.hpp"
#include "format/npy/header.hpp"

namespace kiln::npy {
namespace {
using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

std::uint64_t read_header_size(Cursor& cursor) {
  if (cursor.left() < magic.size() || as_text(cursor.take(magic.size(), "magic")) != magic)
    cursor.refuse(0, "magic", "not an npy file (expected the byte 0x93 and \"NUMPY\")");
  const auto major = cursor.number<std::uint8_t>("version");
  const auto minor = cursor.number<std::uint8_t>("version");
  if (cursor.ok() && (major < 1 || major > 3 || minor != 0))
    cursor.refuse(6, "version", fmt::format("found {}.{}, expected 1.0, 2.0 or 3.0", major, minor),
                  Errc::unsupported);
  return major == 1 ? cursor.number<std::uint16_t>("header length")
                    : cursor.number<std::uint32_t>("header length");
}

void check_type(Cursor& cursor, const HeaderDict& header) {
  if (type_of(header.descr)) return;
  const bool big = header.descr.starts_with('>');
  cursor.refuse(
      header.descr_at, "descr",
      big ? fmt::format("{:?} is big-endian; save the array with .astype({:?})", header.descr,
                        "<" + std::string(header.descr.substr(1)))
          : fmt::format("found {:?}, expected ?, i1 to i8, u1 to u8, f2, f4 or f8", header.descr),
      Errc::unsupported);
}

void check_order(Cursor& cursor, const HeaderDict& header) {
  if (header.fortran_order && header.shape.size() > 1)
    cursor.refuse(header.fortran_order_at, "fortran_order",
                  fmt::format("column-major data of {} dimensions is not read; save it with "
                              "numpy.ascontiguousarray",
                              header.shape.size()),
                  Errc::unsupported);
}

/// Bytes of the data that the shape announces; nothing where they are 2^64 or more.
std::optional<std::uint64_t> data_size(const std::vector<std::size_t>& shape, std::size_t size) {
  std::uint64_t product = size;
  bool empty = false, overflow = false;
  for (const std::size_t extent : shape) {
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(product, extent, &product);
  }
  if (empty) return 0;  // however large the other dimensions are
  if (overflow) return std::nullopt;
  return product;
}

void check_data(Cursor& cursor, const HeaderDict& header, std::size_t element) {
  const auto size = data_size(header.shape, element);
  if (!size) return cursor.refuse(header.shape_at, "shape", "the data would be 2^64 bytes or more");
  if (*size != cursor.left())
    cursor.refuse(cursor.at(), "data",
                  fmt::format("the shape announces {} bytes, there are {}", *size, cursor.left()));
}

}  // namespace

Expected<Npy> parse(ByteView bytes) {
  Cursor cursor(bytes, "npy file", Errc::bad_input);
  const std::uint64_t size = read_header_size(cursor);
  const std::size_t offset = cursor.at();
  const std::string_view text = as_text(cursor.take(size, "header"));
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  auto header = parse_header(text, offset);
  if (!header) return tl::unexpected(header.error());
  check_type(cursor, *header);
  check_order(cursor, *header);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  Npy npy;
  npy.descr = header->descr;
  npy.type = *type_of(header->descr);
  npy.element_size = size_of(npy.type);
  npy.fortran_order = header->fortran_order;
  check_data(cursor, *header, npy.element_size);
  npy.data = cursor.take(cursor.left(), "data");
  npy.shape = std::move(header->shape);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return npy;
}

}  // namespace kiln::npy
