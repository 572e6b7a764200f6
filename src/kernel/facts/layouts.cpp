#include "kernel/facts/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kiln {

TypeLayout builtin_layout(std::string_view words) {
  static constexpr std::pair<std::string_view, std::uint64_t> scalars[] = {
      {"char", 1},          {"uchar", 1},       {"short", 2},        {"ushort", 2},
      {"int", 4},           {"uint", 4},        {"long", 8},         {"ulong", 8},
      {"float", 4},         {"double", 8},      {"half", 2},         {"atomic_int", 4},
      {"atomic_uint", 4},   {"atomic_long", 8}, {"atomic_ulong", 8}, {"atomic_float", 4},
      {"atomic_double", 8}, {"atomic_flag", 4}};
  static constexpr std::pair<std::string_view, std::uint64_t> widths[] = {
      {"", 1}, {"2", 2}, {"3", 4}, {"4", 4}, {"8", 8}, {"16", 16}};  // 3 takes the room of 4
  std::string name(words);
  if (name == "unsigned") name = "uint";
  if (name.starts_with("signed ")) name.erase(0, 7);
  if (name.starts_with("unsigned ")) name.replace(0, 9, "u");
  const auto digits = std::min(name.find_first_of("0123456789"), name.size());
  const auto find = [](const auto& table, std::string_view text) {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const auto& one) { return one.first == text; });
    return found == std::end(table) ? std::uint64_t{0} : found->second;
  };
  const std::uint64_t bytes = find(scalars, std::string_view(name).substr(0, digits)) *
                              find(widths, std::string_view(name).substr(digits));
  const bool is_atomic_vector = name.starts_with("atomic") && digits < name.size();
  if (bytes == 0 || is_atomic_vector) return {};
  return {bytes, bytes, name};
}

namespace facts {
namespace {

bool is_record_or_enum(CXTypeKind kind) { return kind == CXType_Record || kind == CXType_Enum; }

}  // namespace

std::string Layouts::name_of(CXType type) const {
  while (type.kind == CXType_Typedef || type.kind == CXType_Elaborated) {
    const CXCursor declaration = clang_.getTypeDeclaration(type);
    if (type.kind == CXType_Typedef && !clang_.is_in_text(declaration)) break;
    CXType next = type.kind == CXType_Elaborated ? clang_.Type_getNamedType(type)
                                                 : clang_.getTypedefDeclUnderlyingType(declaration);
    // A structure without a tag has no other name than its typedef's.
    if (clang_.text(clang_.getTypeSpelling(next)).find('(') != std::string::npos) break;
    type = next;
  }
  std::string name = clang_.text(clang_.getTypeSpelling(type));
  for (const std::string_view word :
       {"const ", "volatile ", "__global ", "__constant ", "__local ", "__private ", "__generic ",
        "__read_only ", "__write_only ", "__read_write ", "read_only ", "write_only ",
        "read_write ", "restrict "})
    for (std::size_t at; (at = name.find(word)) != std::string::npos;) name.erase(at, word.size());
  return name;
}

TypeLayout Layouts::of(CXType type) {
  if (!is_fixed(type)) return {};
  const CXType canonical = clang_.getCanonicalType(type);
  const long long bytes = clang_.Type_getSizeOf(canonical);
  const long long alignment = clang_.Type_getAlignOf(canonical);
  constexpr long long largest = 1LL << 32;
  if (bytes <= 0 || bytes >= largest || alignment <= 0) return {};
  TypeLayout layout{static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(alignment), {}};
  if (canonical.kind == CXType_ExtVector) {
    const CXType element = clang_.getCanonicalType(clang_.getElementType(canonical));
    layout.name = builtin_layout(clang_.text(clang_.getTypeSpelling(element))).name +
                  std::to_string(clang_.getNumElements(canonical));
  } else if (!is_record_or_enum(canonical.kind) && canonical.kind != CXType_ConstantArray) {
    layout.name = builtin_layout(name_of(type)).name;
    if (layout.name.empty()) layout.name = builtin_layout(name_of(canonical)).name;
  }
  return layout;
}

/// Whether all devices agree on a type's size.
bool Layouts::is_fixed(CXType type) {
  for (;;) {
    switch (type.kind) {
      case CXType_Typedef: {
        const CXCursor declaration = clang_.getTypeDeclaration(type);
        const std::string name = clang_.name(declaration);
        for (const std::string_view device : {"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"})
          if (!clang_.is_in_text(declaration) && name.ends_with(device)) return false;
        type = clang_.getTypedefDeclUnderlyingType(declaration);
        break;
      }
      case CXType_Elaborated:
        type = clang_.Type_getNamedType(type);
        break;
      case CXType_ConstantArray:
        type = clang_.getArrayElementType(type);
        break;
      case CXType_Atomic:
        type = clang_.Type_getValueType(type);
        break;
      case CXType_Record:
      case CXType_Enum:
        return is_fixed_record(clang_.getTypeDeclaration(type));
      case CXType_ExtVector:
        return true;
      default:
        return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) ||
               type.kind == CXType_Half;
    }
  }
}

bool Layouts::is_fixed_record(CXCursor declaration) {
  const std::pair key(clang_.offset(clang_.getCursorLocation(declaration)),
                      clang_.name(declaration));
  const auto [known, is_new] = records_.emplace(key, false);
  if (!is_new) return known->second;  // within its own definition: not fixed
  bool fixed = aggregates_are_known_;
  clang_.for_children(declaration, [&](CXCursor child) {
    const bool is_attribute = child.kind >= CXCursor_FirstAttr && child.kind <= CXCursor_LastAttr;
    if (declaration.kind == CXCursor_EnumDecl && is_attribute) fixed = false;
    if (child.kind != CXCursor_FieldDecl) return;
    fixed = fixed && clang_.Cursor_isBitField(child) == 0 && is_fixed(clang_.getCursorType(child));
  });
  return records_[key] = fixed;
}

}  // namespace facts
}  // namespace kiln
