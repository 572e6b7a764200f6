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
constexpr std::array<std::string_view, 7> member_keys = {"type",   "name",  "count", "value",
                                                         "fields", "bytes", "packed"};

}  // namespace

std::optional<Type> Reader::read_type(const Json& object, const std::string& path,
                                      EmptyType empty) {
  auto read = read_typed(object, path, {With::layout, empty});
  return read ? std::optional(std::move(read->type)) : std::nullopt;
}

std::optional<Reader::Typed> Reader::read_valued(const Json& object, const std::string& path) {
  return read_typed(object, path, {With::values, EmptyType::is_error});
}

std::optional<Reader::Typed> Reader::read_typed(const Json& object, const std::string& path,
                                                const TypedOptions& options) {
  const auto name = read_type_name(object, path);
  if (name && *name == "struct") return read_struct(object, path, options);
  auto type = name && has_no_struct_keys(object, path)
                  ? named_type(object, path, *name, options.empty)
                  : std::nullopt;
  std::optional<Formula> value;
  if (options.with == With::values) {
    const Json* written = required(object, path, "value", "a number or an expression");
    if (written != nullptr)
      value = read_formula(*written, join(path, "value"), Shape::number_or_list);
    if (!value) return std::nullopt;
  }
  if (!type) return std::nullopt;
  return Typed{*std::move(type), std::move(value)};
}

bool Reader::has_no_struct_keys(const Json& object, const std::string& path) {
  for (const auto key : struct_keys)
    if (const auto* member = object.find(key)) {
      error(member->at, join(path, key),
            "found '" + std::string(key) + "', expected it next to \"type\": \"struct\" only");
      return false;
    }
  return true;
}

std::optional<Reader::Typed> Reader::read_struct(const Json& object, const std::string& path,
                                                 const TypedOptions& options) {
  const auto* value = object.find("value");
  if (value != nullptr) {
    error(value->at, join(path, "value"),
          "found a value next to \"type\": \"struct\", expected the values in its \"fields\" (or "
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
              (options.with == With::values ? "the list of its bytes" : "the number of its bytes"));
    return std::nullopt;
  }
  if (options.depth >= deepest_struct) {
    error(object.at, path, "found structures within structures more than 16 deep");
    return std::nullopt;
  }
  return fields == nullptr ? read_bytes(*bytes, join(path, "bytes"), options.with)
                           : read_members(object, path, options);
}

std::optional<Reader::Typed> Reader::read_bytes(const Json& bytes, const std::string& attribute,
                                                With with) {
  constexpr auto most = static_cast<std::int64_t>(Type::largest_struct);
  if (with == With::layout) {
    const auto size =
        read_integer(bytes, attribute, 1, most, "the size of one element, an integer 1..65536");
    if (!size) return std::nullopt;
    return Typed{Type::opaque_structure(static_cast<std::size_t>(*size)), std::nullopt};
  }
  if (!bytes.is(Json::Kind::list) || bytes.items.empty() ||
      bytes.items.size() > Type::largest_struct) {
    expected(bytes, attribute, "the list of the value's bytes, 1..65536 numbers 0..255");
    return std::nullopt;
  }
  auto value = read_formula(bytes, attribute, Shape::number_or_list);
  if (!value) return std::nullopt;
  return Typed{Type::opaque_structure(bytes.items.size()), std::move(value)};
}

std::optional<Reader::Typed> Reader::read_members(const Json& object, const std::string& path,
                                                  const TypedOptions& options) {
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
    auto member = read_member(item, join(attribute, i),
                              {options.with, EmptyType::is_error, options.depth + 1});
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
  if (options.with == With::layout) return Typed{*std::move(type), std::nullopt};
  auto value = list_of_formulas(values, list.at, attribute);
  if (!value) return std::nullopt;
  return Typed{*std::move(type), std::move(value)};
}

std::optional<Reader::Typed> Reader::read_member(const Json& member, const std::string& path,
                                                 const TypedOptions& options) {
  if (!member.is(Json::Kind::object)) {
    expected(
        member, path,
        options.with == With::values ? "an object {\"type\", \"value\"}" : "an object {\"type\"}");
    return std::nullopt;
  }
  warn_of_unknown(member, path, member_keys);
  const auto* value = member.find("value");
  const auto* type = optional(member, "type");
  // A structure must have none.
  const bool is_struct = type != nullptr && type->is(Json::Kind::string) && type->text == "struct";
  if (value != nullptr && options.with == With::layout && !is_struct)
    warning(value->at, join(path, "value"),
            "found a value, which is ignored: a buffer's elements are given by --in, or random");
  return read_typed(member, path, options);
}

}  // namespace kiln::spec
