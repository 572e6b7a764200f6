
#include <algorithm>
#include <map>
#include <utility>

#include "kernel/facts/syntax.hpp"

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
    const auto found =
        std::ranges::find_if(table, [&](const auto& one) { return one.first == text; });
    return found == std::end(table) ? std::uint64_t{0} : found->second;
  };
  const std::uint64_t bytes = find(scalars, std::string_view(name).substr(0, digits)) *
                              find(widths, std::string_view(name).substr(digits));
  const bool is_atomic_vector = name.starts_with("atomic") && digits < name.size();
  if (bytes == 0 || is_atomic_vector) return {};
  return {bytes, bytes, name};
}

bool are_other_numbers(std::string_view given, std::string_view wanted) {
  while (!wanted.empty() && wanted.back() >= '0' && wanted.back() <= '9') wanted.remove_suffix(1);
  const TypeLayout one = builtin_layout(given), other = builtin_layout(wanted);
  if (one.bytes <= 1 || other.bytes <= 1) return false;
  const auto is_floating = [](const TypeLayout& type) {
    return type.name == "float" || type.name == "double" || type.name == "half";
  };
  return one.bytes != other.bytes || (one.bytes > 2 && is_floating(one) != is_floating(other));
}

namespace facts {
namespace {

/// What a typedef or a tag stands for.
CXType underlying(const clang::Library& clang, CXType type) {
  return type.kind == CXType_Elaborated
             ? clang.Type_getNamedType(type)
             : clang.getTypedefDeclUnderlyingType(clang.getTypeDeclaration(type));
}

bool is_record_or_enum(CXTypeKind kind) { return kind == CXType_Record || kind == CXType_Enum; }

class Layouts {
 public:
  explicit Layouts(const Syntax& syntax)
      : syntax_(syntax),
        clang_(syntax.origin->unit.library()),
        aggregates_are_known_(aggregates_are_known(syntax)) {}

  ParameterUse use_of(int number) {
    const Declaration& parameter = syntax_.declared(number);
    ParameterUse use;
    use.name = parameter.name;
    const Type& type = *parameter.type;
    use.is_pointer = type.is_pointer();
    use.is_global = use.is_pointer && type.space == Space::global;
    use.is_constant_space = use.is_pointer && type.space == Space::constant;
    use.is_local = use.is_pointer && type.space == Space::local;
    CXType element = syntax_.origin->types[type.number];
    if (use.is_pointer) {
      // Typedefs between here and the pointer are of no matter; those of the element give its name.
      while (element.kind == CXType_Typedef || element.kind == CXType_Elaborated)
        element = underlying(clang_, element);
      element = type.array ? clang_.getArrayElementType(element) : clang_.getPointeeType(element);
    }
    use.element_type = type_name(clang_, element);
    use.layout = of(element);
    const CXCursor cursor = syntax_.origin->declarations[static_cast<std::size_t>(number)];
    if (!syntax_.errors.empty())
      doubt(syntax_.origin->unit.begin(cursor), syntax_.origin->unit.end(cursor), element, use);
    use.read = !type.is_written_image && (!use.is_pointer || use.is_local);
    use.written = type.is_written_image || use.is_local;
    return use;
  }

 private:
  /// No attribute or pragma that changes layouts is in the text.
  static bool aggregates_are_known(const Syntax& syntax) {
    for (const auto& one : syntax.diagnostics())
      if (one.message.find("attribute") != std::string::npos) return false;
    const auto& tokens = syntax.lexed.tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].kind == TokenKind::directive && tokens[i + 1].text == "pack") return false;
    return true;
  }

  /// Behind an error clang takes an unknown type for int: of the text's own types nothing holds
  /// then.
  void doubt(std::uint32_t begin, std::uint32_t end, CXType type, ParameterUse& use) const {
    constexpr std::string_view unknown = "clang: unknown type name '";
    for (const Problem& one : syntax_.errors) {
      if (!one.what.starts_with(unknown) || one.at < begin || one.at >= end) continue;
      use.element_type =
          one.what.substr(unknown.size(), one.what.find('\'', unknown.size()) - unknown.size());
      use.layout = {};
    }
    while (type.kind == CXType_Elaborated || clang::is_array(type.kind))
      type = clang::is_array(type.kind) ? clang_.getArrayElementType(type)
                                        : clang_.Type_getNamedType(type);
    const bool is_typedef = type.kind == CXType_Typedef;
    if (!is_typedef || clang_.is_in_file(clang_.getTypeDeclaration(type)))
      if (is_typedef || is_record_or_enum(type.kind)) use.layout = {};
  }

  TypeLayout of(CXType type) {
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
      layout.name = builtin_layout(type_name(clang_, type)).name;
      if (layout.name.empty()) layout.name = builtin_layout(type_name(clang_, canonical)).name;
    }
    return layout;
  }

  /// Whether all devices agree on a type's size.
  bool is_fixed(CXType type) {
    for (;;) {
      switch (type.kind) {
        case CXType_Typedef: {
          const CXCursor declaration = clang_.getTypeDeclaration(type);
          const std::string name = clang_.name(declaration);
          for (const std::string_view device : {"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"})
            if (!clang_.is_in_file(declaration) && name.ends_with(device)) return false;
          type = underlying(clang_, type);
          break;
        }
        case CXType_Elaborated:
          type = underlying(clang_, type);
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

  bool is_fixed_record(CXCursor declaration) {
    const std::pair key(clang_.offset(clang_.getCursorLocation(declaration)),
                        clang_.name(declaration));
    const auto [known, is_new] = records_.emplace(key, false);
    if (!is_new) return known->second;  // within its own definition: not fixed
    bool fixed = aggregates_are_known_;
    clang_.for_children(declaration, [&](CXCursor child) {
      const bool is_attribute = child.kind >= CXCursor_FirstAttr && child.kind <= CXCursor_LastAttr;
      if (declaration.kind == CXCursor_EnumDecl && is_attribute) fixed = false;
      if (child.kind != CXCursor_FieldDecl) return;
      fixed =
          fixed && clang_.Cursor_isBitField(child) == 0 && is_fixed(clang_.getCursorType(child));
    });
    return records_[key] = fixed;
  }

  const Syntax& syntax_;
  const clang::Library& clang_;
  bool aggregates_are_known_;
  std::map<std::pair<std::uint32_t, std::string>, bool> records_;  ///< by place and name
};

}  // namespace

std::vector<ParameterUse> parameters_of(const Syntax& syntax, const Function& kernel) {
  Layouts layouts(syntax);
  std::vector<ParameterUse> uses;
  for (const int parameter : kernel.parameters) uses.push_back(layouts.use_of(parameter));
  return uses;
}

std::string type_name(const clang::Library& clang, CXType type) {
  while (type.kind == CXType_Typedef || type.kind == CXType_Elaborated) {
    if (type.kind == CXType_Typedef && !clang.is_in_file(clang.getTypeDeclaration(type))) break;
    const CXType next = underlying(clang, type);
    // A structure without a tag has no other name than its typedef's.
    if (clang.text(clang.getTypeSpelling(next)).find('(') != std::string::npos) break;
    type = next;
  }
  std::string name = clang.text(clang.getTypeSpelling(type));
  for (const std::string_view word :
       {"const ", "volatile ", "__global ", "__constant ", "__local ", "__private ", "__generic ",
        "__read_only ", "__write_only ", "__read_write ", "read_only ", "write_only ",
        "read_write ", "restrict "})
    for (std::size_t at; (at = name.find(word)) != std::string::npos;) name.erase(at, word.size());
  return name;
}

}  // namespace facts
}  // namespace kiln
