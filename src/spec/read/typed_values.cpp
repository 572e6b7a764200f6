#include <array>

#include "spec/read/reader.hpp"

// Types, and values of a type, as files give them. A structure is given by its members, or by its
// size alone.
namespace kiln::spec {
namespace {

/// Far above what kernels have; keeps what is worked out for each element small.
constexpr std::size_t most_fields = 1024;
constexpr int deepest_struct = 16;
constexpr std::array<std::string_view, 3> struct_keys = {"fields", "bytes", "packed"};
constexpr std::array<std::string_view, 7> field_keys = {"type",   "name",  "count", "value",
                                                        "fields", "bytes", "packed"};

}  // namespace

/// What a structure or one of its members comes to; `value` only where values are read.
struct Reader::Member {
  Type type;
  std::optional<Formula> value;
};

std::optional<Type> Reader::read_type(const Json& object, std::string_view path, EmptyType empty) {
  const auto name = read_type_name(object, path);
  if (!name) return std::nullopt;
  const std::string place(path);
  if (*name != "struct")
    return has_no_struct_keys(object, place) ? named_type(object, path, *name, empty)
                                             : std::nullopt;
  auto member = read_struct(object, place, With::layout, 0);
  return member ? std::optional(std::move(member->type)) : std::nullopt;
}

std::optional<Reader::Valued> Reader::read_valued(const Json& object, const std::string& path) {
  const auto name = read_type_name(object, path);
  if (name && *name == "struct") {
    auto member = read_struct(object, path, With::values, 0);
    if (!member || !member->value) return std::nullopt;
    return Valued{std::move(member->type), *std::move(member->value)};
  }
  auto type = name && has_no_struct_keys(object, path)
                  ? named_type(object, path, *name, EmptyType::is_error)
                  : std::nullopt;
  const Json* value = required(object, path, "value", "a number or an expression");
  if (value == nullptr) return std::nullopt;
  auto formula = read_formula(*value, join(path, "value"), Shape::number_or_list);
  if (!type || !formula) return std::nullopt;
  return Valued{*std::move(type), *std::move(formula)};
}

bool Reader::has_no_struct_keys(const Json& object, const std::string& path) {
  for (const auto key : struct_keys)
    if (const auto* member = object.find(key)) {
      error(member->at, join(path, key),
            "found '" + std::string(key) + "', expected it beside \"type\": \"struct\" only");
      return false;
    }
  return true;
}

std::optional<Reader::Member> Reader::read_struct(const Json& object, const std::string& path,
                                                  With with, int depth) {
  const auto* value = object.find("value");
  if (value != nullptr) {
    error(value->at, join(path, "value"),
          "found a value beside \"type\": \"struct\", expected the values in its \"fields\" (or "
          "its bytes in \"bytes\")");
    return std::nullopt;
  }
  const Json* fields = optional(object, "fields");
  const Json* bytes = optional(object, "bytes");
  if ((fields == nullptr) == (bytes == nullptr)) {
    error(object.at, join(path, "fields"),
          std::string("found ") +
              (fields == nullptr ? "neither \"fields\" nor \"bytes\""
                                 : "both \"fields\" and \"bytes\"") +
              ", expected one of them: a structure's members, or " +
              (with == With::values ? "the list of its bytes" : "the number of its bytes"));
    return std::nullopt;
  }
  if (depth >= deepest_struct) {
    error(object.at, path, "found structures within structures more than 16 deep");
    return std::nullopt;
  }
  return fields == nullptr ? read_bytes(object, path, with)
                           : read_fields(object, path, with, depth);
}

std::optional<Reader::Member> Reader::read_bytes(const Json& object, const std::string& path,
                                                 With with) {
  const Json& bytes = object.find("bytes")->value;
  const std::string attribute = join(path, "bytes");
  constexpr auto most = static_cast<std::int64_t>(Type::largest_struct);
  if (with == With::layout) {
    const auto size =
        read_integer(bytes, attribute, 1, most, "the size of one element, an integer 1..65536");
    if (!size) return std::nullopt;
    return Member{Type::opaque_structure(static_cast<std::size_t>(*size)), std::nullopt};
  }
  if (!bytes.is(Json::Kind::list) || bytes.items.empty() ||
      bytes.items.size() > Type::largest_struct) {
    expected(bytes, attribute, "the list of the value's bytes, 1..65536 numbers 0..255");
    return std::nullopt;
  }
  auto value = read_formula(bytes, attribute, Shape::number_or_list);
  if (!value) return std::nullopt;
  return Member{Type::opaque_structure(bytes.items.size()), std::move(value)};
}

std::optional<Reader::Member> Reader::read_fields(const Json& object, const std::string& path,
                                                  With with, int depth) {
  const Json& list = object.find("fields")->value;
  const std::string attribute = join(path, "fields");
  if (!list.is(Json::Kind::list) || list.items.empty() || list.items.size() > most_fields) {
    expected(list, attribute, "a list of 1..1024 objects {\"type\", …}");
    return std::nullopt;
  }
  bool packed = false;
  if (const Json* flag = optional(object, "packed")) {
    if (!flag->is(Json::Kind::boolean)) expected(*flag, join(path, "packed"), "true or false");
    packed = flag->boolean;
  }
  std::vector<StructField> fields;
  std::vector<Formula> values;
  bool whole = true;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Json& item = list.items[i];
    auto member = read_field(item, join(attribute, i), with, depth);
    if (!member) {
      whole = false;  // the others are read all the same: a check lists everything
      continue;
    }
    StructField field{"", std::move(member->type)};
    if (const Json* name = optional(item, "name"))
      field.name = read_string(*name, join(join(attribute, i), "name"), "a name").value_or("");
    if (const Json* count = optional(item, "count"))
      field.count =
          static_cast<std::size_t>(read_integer(*count, join(join(attribute, i), "count"), 1,
                                                static_cast<std::int64_t>(Type::largest_struct),
                                                "the length of an array, an integer 1..65536")
                                       .value_or(1));
    if (member->value) values.push_back(*std::move(member->value));
    fields.push_back(std::move(field));
  }
  if (!whole) return std::nullopt;
  auto type =
      Type::structure(std::move(fields), packed ? Type::Packing::packed : Type::Packing::natural);
  if (!type) {
    error(list.at, attribute, type.error().message());
    return std::nullopt;
  }
  if (with == With::layout) return Member{*std::move(type), std::nullopt};
  auto value = list_of_formulas(values, list.at, attribute);
  if (!value) return std::nullopt;
  return Member{*std::move(type), std::move(value)};
}

std::optional<Reader::Member> Reader::read_field(const Json& field, const std::string& path,
                                                 With with, int depth) {
  if (!field.is(Json::Kind::object)) {
    expected(field, path,
             with == With::values ? "an object {\"type\", \"value\"}" : "an object {\"type\"}");
    return std::nullopt;
  }
  warn_of_unknown(field, path, field_keys);
  const auto name = read_type_name(field, path);
  if (name && *name == "struct") return read_struct(field, path, with, depth + 1);
  if (with == With::values) {
    auto valued = read_valued(field, path);
    if (!valued) return std::nullopt;
    return Member{std::move(valued->type), std::move(valued->value)};
  }
  if (const auto* value = field.find("value"))
    warning(value->at, join(path, "value"),
            "found a value, which is ignored: a buffer's elements are given by --in, or random");
  auto type = name && has_no_struct_keys(field, path)
                  ? named_type(field, path, *name, EmptyType::is_error)
                  : std::nullopt;
  if (!type) return std::nullopt;
  return Member{*std::move(type), std::nullopt};
}

}  // namespace kiln::spec
