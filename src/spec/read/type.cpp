#include "spec/read/type.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "format/json_tree.hpp"

// OpenCL types as specification files name them: their names, sizes and layout; and how the values
// of a file become their bytes.
namespace kiln::spec {
namespace {

/// Names as files write them; the first of each scalar is OpenCL's own.
struct ScalarName {
  std::string_view name;
  Scalar scalar;
  bool takes_width;  // "int4" is a type, "unsigned int4" is none
};
constexpr ScalarName scalar_names[] = {
    {"char", Scalar::i8, true},           {"uchar", Scalar::u8, true},
    {"short", Scalar::i16, true},         {"ushort", Scalar::u16, true},
    {"int", Scalar::i32, true},           {"uint", Scalar::u32, true},
    {"long", Scalar::i64, true},          {"ulong", Scalar::u64, true},
    {"float", Scalar::f32, true},         {"double", Scalar::f64, true},
    {"unsigned char", Scalar::u8, false}, {"unsigned short", Scalar::u16, false},
    {"unsigned", Scalar::u32, false},     {"unsigned int", Scalar::u32, false},
    {"long int", Scalar::i64, false},     {"unsigned long", Scalar::u64, false},
};

/// "float4" → "float" and 4; no digits: width 1.
std::pair<std::string_view, unsigned> split_width(std::string_view name) {
  const auto digits = name.find_first_of("0123456789");
  if (digits == name.npos) return {name, 1};
  const auto width =
      name[digits] == '0' ? 0 : parse_number<unsigned>(name.substr(digits)).value_or(0);
  const bool known = width == 2 || width == 3 || width == 4 || width == 8 || width == 16;
  return {name.substr(0, digits), known ? width : 0};
}

/// One text for all, so that whoever meets it once knows it.
constexpr std::string_view expected_type =
    "expected an OpenCL type: char, uchar, short, ushort, int, uint, long, ulong, float or double, "
    "with 2, 3, 4, 8 or 16 behind it for a vector";

}  // namespace

Expected<Type> Type::parse(std::string_view name) {
  const auto [word, width] = split_width(name);
  for (const auto& known : scalar_names) {
    if (known.name != word || width == 0 || (width > 1 && !known.takes_width)) continue;
    return Type{known.scalar, static_cast<std::uint8_t>(width)};
  }
  if (word == "half" || word == "bool" || word == "size_t") {
    return fail(Errc::unsupported, "found the type " + quote(name) +
                                       ", which kernel specification files do not have, " +
                                       std::string(expected_type));
  }
  std::array<std::string_view, std::size(scalar_names)> candidates;
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = scalar_names[i].name;
  const auto near = word.empty() ? "" : did_you_mean(word, candidates);
  return fail(Errc::bad_input,
              "found the type " + quote(name) + ", " + std::string(expected_type) + near);
}

ScalarKind Type::kind() const {
  return with_number(scalar, [](auto number) {
    using T = decltype(number);
    return std::is_floating_point_v<T> ? ScalarKind::floating
           : std::is_signed_v<T>       ? ScalarKind::signed_integer
                                       : ScalarKind::unsigned_integer;
  });
}

std::size_t Type::scalar_bytes() const {
  return with_number(scalar, [](auto number) { return sizeof number; });
}

// OpenCL C 6.1.5: a 3-component vector has the size and alignment of a 4-component one.
std::size_t Type::lanes() const {
  if (is_struct()) return struct_bytes;
  return width == 3 ? 4 : width;
}

std::size_t Type::alignment() const { return is_struct() ? struct_alignment : bytes(); }

bool Type::operator==(const Type& other) const {
  return scalar == other.scalar && width == other.width && struct_bytes == other.struct_bytes &&
         struct_alignment == other.struct_alignment && fields == other.fields;
}

Type Type::opaque_structure(std::size_t bytes) {
  Type type;
  type.scalar = Scalar::u8;
  type.struct_bytes = bytes;
  return type;
}

namespace {

tl::unexpected<Error> too_large() {
  return fail(Errc::bad_input, "found a structure of more than " +
                                   std::to_string(Type::largest_struct) +
                                   " bytes, expected at most that");
}

constexpr const char* doubtful_layout =
    "found a member of which only the bytes are known where its alignment decides the layout, "
    "expected its \"fields\"";

/// The largest alignment that a member of which only the bytes are known may have: its size is a
/// multiple of it. 1 for others, whose alignment is known.
std::size_t unknown_alignment(const StructField& field) {
  if (!field.type.is_struct() || !field.type.fields.empty()) return 1;
  const std::size_t bytes = field.type.bytes();
  return bytes & (~bytes + 1);
}

}  // namespace

Expected<Type> Type::structure(std::vector<StructField> fields, Packing packing) {
  Type type = opaque_structure(0);
  std::size_t end = 0, unknown_step = 1;
  for (auto& field : fields) {
    const std::size_t step = packing == Packing::packed ? 1 : field.type.alignment();
    field.offset = (end + step - 1) / step * step;
    // Both factors are bounded by what is read from files; a caller's own could wrap around.
    if (field.count == 0 || field.count > largest_struct ||
        field.count * field.type.bytes() > largest_struct)
      return too_large();
    end = field.offset + field.count * field.type.bytes();
    if (packing == Packing::natural) {
      unknown_step = std::max(unknown_step, unknown_alignment(field));
      if (field.offset % unknown_alignment(field) != 0)
        return fail(Errc::bad_input, doubtful_layout);
    }
    type.struct_alignment = std::max(type.struct_alignment, step);
    if (end > largest_struct) break;
  }
  end = (end + type.struct_alignment - 1) / type.struct_alignment * type.struct_alignment;
  if (end % unknown_step != 0) return fail(Errc::bad_input, doubtful_layout);
  if (end == 0) return fail(Errc::bad_input, "found a structure without members, expected some");
  if (end > largest_struct) return too_large();
  type.struct_bytes = end;
  type.fields = std::move(fields);
  return type;
}

std::size_t Type::bytes() const { return lanes() * scalar_bytes(); }

std::string Type::opencl_name() const {
  std::string result;
  if (is_struct()) {
    for (const auto& field : fields) {
      result += (result.empty() ? "struct {" : ", ") + field.type.opencl_name();
      if (field.count > 1) result += "[" + std::to_string(field.count) + "]";
    }
    return result.empty() ? "struct of " + std::to_string(struct_bytes) + " bytes" : result + "}";
  }
  for (const auto& known : scalar_names) {
    if (known.scalar != scalar || !known.takes_width) continue;
    result = known.name;
    break;
  }
  return width == 1 ? result : result + std::to_string(width);
}

namespace {

tl::unexpected<Error> out_of_range(const Type& type, const expr::Value& value) {
  return fail(Errc::bad_input, "found " + value.text() + ", expected a value that fits " +
                                   Type{type.scalar, 1}.opencl_name());
}

/// Conversion of an out-of-range value is undefined in C++ and silently wraps in the original.
template <class T>
Expected<T> integer_of(const Type& type, const expr::Value& value) {
  if (const auto* real = std::get_if<double>(&value.data())) {
    const double whole = std::trunc(*real);
    // Both bounds are exact in double: 2^digits lies just above the largest value.
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double least = std::numeric_limits<T>::is_signed ? -above : 0.0;
    if (!(whole >= least && whole < above)) return out_of_range(type, value);
    return static_cast<T>(whole);
  }
  const auto integer = value.to_integer();
  if (!integer) return tl::unexpected(integer.error());
  if (!std::in_range<T>(*integer)) return out_of_range(type, value);
  return static_cast<T>(*integer);
}

/// An infinity that the file asked for is kept; one that the narrower type made is an error.
template <class T>
Expected<T> real_of(const Type& type, const expr::Value& value) {
  const auto real = value.to_double();
  if (!real) return tl::unexpected(real.error());
  const T result = static_cast<T>(*real);
  if (std::isfinite(*real) && !std::isfinite(result)) return out_of_range(type, value);
  return result;
}

Expected<void> put(const Type& type, const expr::Value& value, std::byte* to) {
  if (!value.is_number())
    return fail(Errc::bad_input, std::string("found ") + value.type_name() + " " +
                                     value.text().substr(0, 40) + ", expected a number");
  return with_number(type.scalar, [&](auto number) {
    using T = decltype(number);
    Expected<T> scalar;
    if constexpr (std::is_floating_point_v<T>)
      scalar = real_of<T>(type, value);
    else
      scalar = integer_of<T>(type, value);
    return scalar.map([to](T of_type) { std::memcpy(to, &of_type, sizeof of_type); });
  });
}

Expected<void> put_list(const Type& type, const expr::Value& value, std::size_t count,
                        std::span<std::byte> to);

/// A structure's members, or its bytes where they are not known.
Expected<void> put_struct(const Type& type, const expr::List& values, std::span<std::byte> to) {
  const std::size_t wanted = type.fields.empty() ? type.struct_bytes : type.fields.size();
  if (values.size() != wanted)
    return fail(Errc::bad_input, "found a list of " + std::to_string(values.size()) +
                                     ", expected " + std::to_string(wanted) +
                                     (type.fields.empty() ? " bytes" : " members"));
  for (std::size_t i = 0; i < wanted; ++i) {
    Expected<void> done;
    if (type.fields.empty()) {
      done = put(Type{Scalar::u8}, values[i], to.data() + i);
    } else {
      const auto& field = type.fields[i];
      done = put_list(field.type, values[i], field.count,
                      to.subspan(field.offset, field.count * field.type.bytes()));
    }
    if (!done) return done;
  }
  return {};
}

/// One value, or an array's.
Expected<void> put_list(const Type& type, const expr::Value& value, std::size_t count,
                        std::span<std::byte> to) {
  const auto* list = std::get_if<expr::List>(&value.data());
  if (count > 1 && (list == nullptr || list->size() != count))
    return fail(Errc::bad_input, "found " + value.text().substr(0, 60) + ", expected a list of " +
                                     std::to_string(count) + " values");
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = to_bytes(type, count > 1 ? (*list)[i] : value);
    if (!bytes) return tl::unexpected(bytes.error());
    std::memcpy(to.data() + i * bytes->size(), bytes->data(), bytes->size());
  }
  return {};
}

}  // namespace

Expected<std::vector<std::byte>> to_bytes(const Type& type, const expr::Value& value) {
  std::vector<std::byte> bytes(type.bytes());
  const auto* list = std::get_if<expr::List>(&value.data());
  Expected<void> done;
  if (type.is_struct()) {
    if (list == nullptr)
      return fail(Errc::bad_input, "found " + value.text().substr(0, 60) +
                                       ", expected a list of a structure's members");
    done = put_struct(type, *list, bytes);
  } else if (list == nullptr && type.width == 1) {
    done = put(type, value, bytes.data());
  } else if (list == nullptr || type.width == 1 || list->size() != type.width) {
    const std::string found =
        list == nullptr ? value.text() : "a list of " + std::to_string(list->size());
    const std::string wanted =
        type.width == 1 ? "one number" : "a list of " + std::to_string(type.width) + " numbers";
    return fail(Errc::bad_input, "found " + found.substr(0, 60) + ", expected " + wanted + " for " +
                                     type.opencl_name());
  } else {
    for (std::size_t i = 0; i < list->size() && done; ++i)
      done = put(type, (*list)[i], bytes.data() + i * type.scalar_bytes());
  }
  return done.map([&] { return std::move(bytes); });
}

}  // namespace kiln::spec
