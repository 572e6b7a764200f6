#include "format/npy.hpp"

namespace kiln::npy {
namespace {
struct Row {
  Type type;
  std::string_view descr;  ///< as NumPy writes it
  std::size_t size;
};
// In the order of the enumeration, so that it indexes the table.
constexpr Row rows[] = {
    {Type::boolean, "|b1", 1}, {Type::i8, "|i1", 1},  {Type::i16, "<i2", 2}, {Type::i32, "<i4", 4},
    {Type::i64, "<i8", 8},     {Type::u8, "|u1", 1},  {Type::u16, "<u2", 2}, {Type::u32, "<u4", 4},
    {Type::u64, "<u8", 8},     {Type::f16, "<f2", 2}, {Type::f32, "<f4", 4}, {Type::f64, "<f8", 8},
};
const Row& row_of(Type type) { return rows[static_cast<std::size_t>(type)]; }
}  // namespace

std::size_t size_of(Type type) { return row_of(type).size; }
std::string_view descr_of(Type type) { return row_of(type).descr; }

std::optional<Type> type_of(std::string_view descr) {
  if (descr.empty()) return std::nullopt;
  const bool prefixed = std::string_view("<=|").find(descr.front()) != std::string_view::npos;
  const std::string_view code = prefixed ? descr.substr(1) : descr;
  if (code == "?") return Type::boolean;
  for (const Row& row : rows)
    // '|' says that the order does not matter, which holds for single bytes only.
    if (code == row.descr.substr(1) && (row.size == 1 || descr.front() != '|')) return row.type;
  return std::nullopt;
}

}  // namespace kiln::npy
