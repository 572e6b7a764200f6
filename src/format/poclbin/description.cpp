// An archive without its contents, as JSON, and back. What a description has is said once for both
// ways: the functions below hand each field to a Describer, which writes it, or to a Reader.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {

namespace {

template <class Fields, class AnyArgument>
void pass_argument(Fields& fields, AnyArgument& argument) {
  fields.field("name", argument.name);
  fields.field("type_name", argument.type_name);
  fields.hex("access", argument.access);
  fields.hex("address", argument.address);
  fields.field("type_qualifier", argument.type_qualifier);
  fields.field("type", argument.type);
  fields.field("type_size", argument.type_size);
  fields.unless_zero("is_local", argument.is_local);
  fields.unless_zero("is_set", argument.is_set);
}

template <class Fields, class AnyKernel>
void pass_kernel(Fields& fields, AnyKernel& kernel) {
  fields.field("name", kernel.name);
  fields.field("required_size", kernel.required_size);
  fields.field("local_sizes", kernel.local_sizes);
  fields.field("attributes", kernel.attributes);
  fields.hex("metadata_flags", kernel.metadata_flags);
  fields.field("sub_groups", kernel.sub_groups);
  fields.field("work_group", kernel.work_group);
  fields.field("required_sub_group", kernel.required_sub_group);
  fields.field("arguments", kernel.arguments);
  fields.field("files", kernel.files);
}

template <class Fields, class AnyArchive>
void pass_header(Fields& fields, AnyArchive& archive) {
  fields.field("version", archive.version);
  fields.hex("device_id", archive.device_id, 18);
  fields.hex("flags", archive.flags);
  fields.field("build_hash", archive.build_hash);
  fields.field("program_scope_bytes", archive.program_scope_bytes);
}

template <class Fields, class AnyArchive>
void pass_parts(Fields& fields, AnyArchive& archive) {
  fields.field("root", archive.root);
  fields.field("kernels", archive.kernels);
}

/// Writes fields as members of a JSON object.
class Describer {
 public:
  using Json = nlohmann::ordered_json;
  explicit Describer(std::string_view layout) : json_{{"layout", layout}} {}
  Describer() = default;

  template <class T>
  void field(const char* name, const T& value) {
    json_[name] = described(value);
  }
  template <class T>
  void field(const char* name, const std::optional<T>& value) {
    if (value) json_[name] = *value;
  }
  void hex(const char* name, std::uint64_t value, int width = 0) {
    json_[name] = fmt::format("{:#0{}x}", value, width);
  }
  void unless_zero(const char* name, std::uint64_t value) {
    if (value != 0) json_[name] = value;
  }
  std::string text() const { return json_.dump(); }

 private:
  template <class T>
  static Json described(const T& value) {
    return value;
  }
  static Json described(std::string_view text) {
    if (is_utf8(text)) return text;
    return {{"hex", to_hex(as_bytes(text))}};
  }
  static Json described(const File& file) { return described(file.path); }
  static Json described(const Argument& argument) {
    Describer fields;
    pass_argument(fields, argument);
    return std::move(fields.json_);
  }
  static Json described(const Kernel& kernel) {
    Describer fields;
    pass_kernel(fields, kernel);
    return std::move(fields.json_);
  }
  template <class T>
  static Json described(const std::vector<T>& list) {
    Json json = Json::array();
    for (const T& element : list) json.push_back(described(element));
    return json;
  }

  Json json_ = Json::object();
};

/// Sets fields from the members of a JSON object. Errors are thrown, with the field's place.
class Reader {
 public:
  using Json = nlohmann::json;
  /// `name` is the description's, for messages; `place` the object's within it.
  Reader(Description& into, const std::string& name, const Json& object, std::string place = {})
      : into_(into), name_(name), object_(object), place_(std::move(place)) {}

  template <class T>
  void field(const char* name, T& value) const {
    read(member(name), place_of(name), value);
  }
  template <class T>
  void field(const char* name, std::optional<T>& value) const {
    if (!member(name).is_null()) field(name, value.emplace());
  }
  template <class T>
  void hex(const char* name, T& value, int = 0) const {
    field(name, value);
  }
  template <class T>
  void unless_zero(const char* name, T& value) const {
    if (!member(name).is_null()) field(name, value);
  }

  /// Null where it is absent.
  const Json& member(const char* name) const {
    return member(object_, name, place_.empty() ? "the document" : place_);
  }
  [[noreturn]] void refuse(const std::string& place, std::string_view expected) const {
    throw Error(Errc::bad_input, fmt::format("{}, {}: expected {}", name_, place, expected));
  }

 private:
  std::string place_of(const char* name) const {
    return place_.empty() ? name : place_ + "." + name;
  }
  const Json& member(const Json& object, const char* name, const std::string& place) const {
    static const Json absent;
    if (!object.is_object()) refuse(place, "an object");
    const auto found = object.find(name);
    return found == object.end() ? absent : *found;
  }

  void read(const Json& json, const std::string& place, std::string_view& text) const {
    if (json.is_string()) return keep(json.get<std::string>(), text);
    const Json& hex = member(json, "hex", place);
    if (!hex.is_string()) refuse(place, "a text, or an object with its hex digits");
    const auto digits = hex.get<std::string>();
    const Bytes bytes = from_hex(digits);
    if (bytes.size() * 2 != digits.size()) refuse(place, "an even number of hex digits");
    keep(std::string(as_text(bytes)), text);
  }
  void keep(std::string text, std::string_view& view) const {
    view = into_.texts.emplace_back(std::move(text));
  }

  /// A number, or a text with one in hexadecimal ("0x1f").
  template <class T>
  requires std::is_integral_v<T>
  void read(const Json& json, const std::string& place, T& number) const {
    std::uint64_t value = 0;
    if (json.is_string()) {
      const auto& digits = json.get_ref<const std::string&>();
      const char* end = digits.data() + digits.size();
      const auto read =
          std::from_chars(digits.data() + std::min<std::size_t>(2, digits.size()), end, value, 16);
      if (!digits.starts_with("0x") || read.ptr != end || read.ec != std::errc())
        refuse(place, "a number");
    } else if (json.is_number_unsigned()) {
      value = json.get<std::uint64_t>();
    } else {
      refuse(place, "a number of at least 0");
    }
    if (value > std::numeric_limits<T>::max())
      refuse(place, fmt::format("a number up to {}", std::numeric_limits<T>::max()));
    number = static_cast<T>(value);
  }

  template <class T, std::size_t size>
  void read(const Json& json, const std::string& place, std::array<T, size>& values) const {
    if (!json.is_array() || json.size() != size)
      refuse(place, fmt::format("a list of {} numbers", size));
    for (std::size_t i = 0; i < size; ++i) read(json[i], place, values[i]);
  }
  template <class T>
  void read(const Json& json, const std::string& place, std::vector<T>& list) const {
    if (!json.is_array()) refuse(place, "a list");
    for (std::size_t i = 0; i < json.size(); ++i)
      read(json[i], fmt::format("{}[{}]", place, i), list.emplace_back());
  }
  void read(const Json& json, const std::string& place, File& file) const {
    read(json, place, file.path);
  }
  void read(const Json& json, const std::string& place, Argument& argument) const {
    const Reader fields(into_, name_, json, place);
    pass_argument(fields, argument);
  }
  void read(const Json& json, const std::string& place, Kernel& kernel) const {
    const Reader fields(into_, name_, json, place);
    pass_kernel(fields, kernel);
  }

  Description& into_;
  const std::string& name_;
  const Json& object_;
  std::string place_;
};

Archive read_real(const Reader& fields) {
  Archive archive;
  fields.field("version", archive.version);  // first: another version may have other fields
  if (archive.version < oldest_version || archive.version > newest_version)
    fields.refuse("version", "1 to 12");
  pass_header(fields, archive);
  pass_parts(fields, archive);
  return archive;
}

wiki::Archive read_wiki(const Reader& fields) {
  wiki::Archive archive;
  fields.field("base", archive.base);
  fields.field("files", archive.files);
  return archive;
}

Description read_description(std::string_view json, const std::string& name) {
  if (const auto within = check_json_bounds(json); !within)
    throw Error(Errc::bad_input, fmt::format("{}: {}", name, within.error().message()));
  Reader::Json document;
  try {
    document = Reader::Json::parse(json);
  } catch (const Reader::Json::parse_error& error) {
    throw Error(Errc::bad_input, fmt::format("{}: byte {}: not valid JSON", name, error.byte));
  } catch (const Reader::Json::exception& error) {  // a number that no double holds
    throw Error(Errc::bad_input, fmt::format("{}: not valid JSON: {}", name, error.what()));
  }
  Description description;
  const Reader fields(description, name, document);
  if (const auto& layout = fields.member("layout"); layout == "wiki-v1")
    description.model = read_wiki(fields);
  else if (layout == "pocl")
    description.model = read_real(fields);
  else
    fields.refuse("layout", "\"pocl\" or \"wiki-v1\"");
  if (const auto& content = fields.member("content"); content.is_string())
    description.content = content.get<std::string>();
  return description;
}

}  // namespace

std::string to_json(const Archive& archive) {
  Describer fields("pocl");
  pass_header(fields, archive);
  fields.field("code", code_id(archive).hex());
  fields.field("content", content_id(archive).hex());
  pass_parts(fields, archive);
  return fields.text();
}

std::string to_json(const wiki::Archive& archive) {
  Describer fields("wiki-v1");
  fields.field("version", archive.version);
  fields.field("base", archive.base);
  fields.field("files", archive.files);
  return fields.text();
}

Expected<Description> from_json(std::string_view json, const std::string& name) {
  return expected_from([&] { return read_description(json, name); });
}

}  // namespace kiln::poclbin
