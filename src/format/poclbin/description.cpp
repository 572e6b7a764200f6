// An archive without its contents, as JSON, and back.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/data/bounds.hpp"
#include "base/data/bytes.hpp"
#include "kiln/formats/poclbin.hpp"

namespace kiln::poclbin {

namespace {

// An archive as a description.

using Json = nlohmann::ordered_json;

/// Uses the check of the JSON library, which would throw when it prints other texts.
bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json text(std::string_view view) {
  std::string copy(view);
  if (is_utf8(copy)) return copy;
  return {{"hex", to_hex(as_bytes(view))}};
}

Json number(std::uint64_t value) { return fmt::format("{:#x}", value); }

Json paths(const std::vector<File>& files) {
  Json list = Json::array();
  for (const auto& file : files) list.push_back(text(file.path));
  return list;
}

Json describe(const Argument& argument) {
  Json json{{"name", text(argument.name)},
            {"type_name", text(argument.type_name)},
            {"access", number(argument.access)},
            {"address", number(argument.address)},
            {"type_qualifier", argument.type_qualifier},
            {"type", argument.type},
            {"type_size", argument.type_size}};
  if (argument.is_local != 0) json["is_local"] = argument.is_local;
  if (argument.is_set != 0) json["is_set"] = argument.is_set;
  return json;
}

Json describe(const Kernel& kernel) {
  Json json{{"name", text(kernel.name)},
            {"required_size", kernel.required_size},
            {"local_sizes", kernel.local_sizes},
            {"attributes", text(kernel.attributes)},
            {"metadata_flags", number(kernel.metadata_flags)}};
  if (kernel.sub_groups) json["sub_groups"] = *kernel.sub_groups;
  if (kernel.work_group) json["work_group"] = *kernel.work_group;
  if (kernel.required_sub_group) json["required_sub_group"] = *kernel.required_sub_group;
  json["arguments"] = Json::array();
  for (const auto& argument : kernel.arguments) json["arguments"].push_back(describe(argument));
  json["files"] = paths(kernel.files);
  return json;
}

Json describe(const Archive& archive) {
  Json json{{"layout", "pocl"},
            {"version", archive.version},
            {"device_id", fmt::format("{:#018x}", archive.device_id)},
            {"flags", number(archive.flags)},
            {"build_hash", archive.build_hash}};
  if (archive.program_scope_bytes) json["program_scope_bytes"] = *archive.program_scope_bytes;
  json["code"] = code_id(archive).hex();
  json["content"] = content_id(archive).hex();
  json["root"] = Json::array();
  for (const auto& files : archive.root) json["root"].push_back(paths(files));
  json["kernels"] = Json::array();
  for (const auto& kernel : archive.kernels) json["kernels"].push_back(describe(kernel));
  return json;
}

}  // namespace

std::string to_json(const Archive& archive) { return describe(archive).dump(); }

std::string to_json(const wiki::Archive& archive) {
  return Json{{"layout", "wiki-v1"},
              {"version", archive.version},
              {"base", text(archive.base)},
              {"files", paths(archive.files)}}
      .dump();
}

namespace {

// A description as an archive.

using DescriptionJson = nlohmann::json;

/// Reads fields of a description. Errors are thrown, with the field's place.
class Reader {
 public:
  Reader(Description& into, const std::string& path) : into_(&into), path_(&path) {}

  [[noreturn]] void refuse(const std::string& place, std::string_view expected) const {
    throw Error(Errc::bad_input, fmt::format("{}, {}: expected {}", *path_, place, expected));
  }

  /// A member; null where it is absent.
  const DescriptionJson& at(const DescriptionJson& object, const char* name,
                            const std::string& place) const {
    static const DescriptionJson absent;
    if (!object.is_object()) refuse(place, "an object");
    const auto found = object.find(name);
    return found == object.end() ? absent : *found;
  }

  std::string_view text(const DescriptionJson& json, const std::string& place) const {
    if (json.is_string()) return keep(json.get<std::string>());
    const DescriptionJson& hex = at(json, "hex", place);
    if (!hex.is_string()) refuse(place, "a text, or an object with its hex digits");
    const auto digits = hex.get<std::string>();
    const Bytes bytes = from_hex(digits);
    if (bytes.size() * 2 != digits.size()) refuse(place, "an even number of hex digits");
    return keep(std::string(as_text(bytes)));
  }

  /// A number, or a text with one in hexadecimal ("0x1f").
  template <class T>
  T number(const DescriptionJson& json, const std::string& place) const {
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
    return static_cast<T>(value);
  }

  template <class T>
  T number_or_0(const DescriptionJson& json, const std::string& place) const {
    return json.is_null() ? T{0} : number<T>(json, place);
  }

  /// Calls `each` with every element and its place.
  template <class Each>
  void list(const DescriptionJson& json, const std::string& place, const Each& each) const {
    if (!json.is_array()) refuse(place, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) each(json[i], fmt::format("{}[{}]", place, i));
  }

  template <class T, std::size_t size>
  std::array<T, size> numbers(const DescriptionJson& json, const std::string& place) const {
    if (!json.is_array() || json.size() != size)
      refuse(place, fmt::format("a list of {} numbers", size));
    std::array<T, size> values;
    for (std::size_t i = 0; i < size; ++i) values[i] = number<T>(json[i], place);
    return values;
  }

  std::vector<File> files(const DescriptionJson& json, const std::string& place) const {
    std::vector<File> found;
    list(json, place, [&](const DescriptionJson& path, const std::string& where) {
      found.push_back({text(path, where), {}});
    });
    return found;
  }

 private:
  std::string_view keep(std::string text) const {
    return into_->texts.emplace_back(std::move(text));
  }
  Description* into_;
  const std::string* path_;
};

Argument read_argument(const Reader& reader, const DescriptionJson& json,
                       const std::string& place) {
  const auto field = [&](const char* name) -> const DescriptionJson& {
    return reader.at(json, name, place);
  };
  const auto where = [&](const char* name) { return place + "." + name; };
  Argument argument;
  argument.name = reader.text(field("name"), where("name"));
  argument.type_name = reader.text(field("type_name"), where("type_name"));
  argument.access = reader.number<std::uint32_t>(field("access"), where("access"));
  argument.address = reader.number<std::uint32_t>(field("address"), where("address"));
  argument.type_qualifier =
      reader.number<std::uint64_t>(field("type_qualifier"), where("type_qualifier"));
  argument.type = reader.number<std::uint32_t>(field("type"), where("type"));
  argument.type_size = reader.number<std::uint64_t>(field("type_size"), where("type_size"));
  argument.is_local = reader.number_or_0<std::uint8_t>(field("is_local"), where("is_local"));
  argument.is_set = reader.number_or_0<std::uint8_t>(field("is_set"), where("is_set"));
  return argument;
}

Kernel read_kernel(const Reader& reader, const DescriptionJson& json, const std::string& place) {
  const auto field = [&](const char* name) -> const DescriptionJson& {
    return reader.at(json, name, place);
  };
  const auto where = [&](const char* name) { return place + "." + name; };
  Kernel kernel;
  kernel.name = reader.text(field("name"), where("name"));
  kernel.required_size =
      reader.numbers<std::uint64_t, 3>(field("required_size"), where("required_size"));
  reader.list(field("local_sizes"), where("local_sizes"),
              [&](const DescriptionJson& size, const auto& at) {
                kernel.local_sizes.push_back(reader.number<std::uint64_t>(size, at));
              });
  kernel.attributes = reader.text(field("attributes"), where("attributes"));
  kernel.metadata_flags =
      reader.number<std::uint64_t>(field("metadata_flags"), where("metadata_flags"));
  if (const DescriptionJson& block = field("sub_groups"); !block.is_null())
    kernel.sub_groups = reader.numbers<std::uint32_t, 2>(block, where("sub_groups"));
  if (const DescriptionJson& block = field("work_group"); !block.is_null())
    kernel.work_group = reader.numbers<std::uint32_t, 5>(block, where("work_group"));
  if (const DescriptionJson& size = field("required_sub_group"); !size.is_null())
    kernel.required_sub_group = reader.number<std::uint32_t>(size, where("required_sub_group"));
  reader.list(field("arguments"), where("arguments"),
              [&](const DescriptionJson& argument, const auto& at) {
                kernel.arguments.push_back(read_argument(reader, argument, at));
              });
  kernel.files = reader.files(field("files"), where("files"));
  return kernel;
}

Archive read_real(const Reader& reader, const DescriptionJson& json) {
  const auto field = [&](const char* name) -> const DescriptionJson& {
    return reader.at(json, name, name);
  };
  Archive archive;
  archive.version = reader.number<std::uint32_t>(field("version"), "version");
  if (archive.version < oldest_version || archive.version > newest_version)
    reader.refuse("version", "1 to 12");
  archive.device_id = reader.number<std::uint64_t>(field("device_id"), "device_id");
  archive.flags = reader.number<std::uint64_t>(field("flags"), "flags");
  archive.build_hash = reader.text(field("build_hash"), "build_hash");
  if (const DescriptionJson& bytes = field("program_scope_bytes"); !bytes.is_null())
    archive.program_scope_bytes = reader.number<std::uint64_t>(bytes, "program_scope_bytes");
  reader.list(field("root"), "root", [&](const DescriptionJson& files, const std::string& place) {
    archive.root.push_back(reader.files(files, place));
  });
  reader.list(field("kernels"), "kernels",
              [&](const DescriptionJson& kernel, const std::string& place) {
                archive.kernels.push_back(read_kernel(reader, kernel, place));
              });
  return archive;
}

wiki::Archive read_wiki(const Reader& reader, const DescriptionJson& json) {
  wiki::Archive archive;
  archive.base = reader.text(reader.at(json, "base", "base"), "base");
  archive.files = reader.files(reader.at(json, "files", "files"), "files");
  return archive;
}

Description read_description(std::string_view json, const std::string& path) {
  Description description;
  const Reader reader(description, path);
  if (const auto within = check_json_bounds(json); !within)
    throw Error(Errc::bad_input, fmt::format("{}: {}", path, within.error().message()));
  DescriptionJson document;
  try {
    document = DescriptionJson::parse(json);
  } catch (const DescriptionJson::parse_error& error) {
    throw Error(Errc::bad_input, fmt::format("{}: byte {}: not valid JSON", path, error.byte));
  } catch (const DescriptionJson::exception& error) {  // a number that no double holds
    throw Error(Errc::bad_input, fmt::format("{}: not valid JSON: {}", path, error.what()));
  }
  const DescriptionJson& layout = reader.at(document, "layout", "the document");
  if (layout == "wiki-v1")
    description.model = read_wiki(reader, document);
  else if (layout == "pocl")
    description.model = read_real(reader, document);
  else
    reader.refuse("layout", "\"pocl\" or \"wiki-v1\"");
  if (const DescriptionJson& content = reader.at(document, "content", "content");
      content.is_string())
    description.content = content.get<std::string>();
  return description;
}

}  // namespace

Expected<Description> from_json(std::string_view json, const std::string& name) {
  try {
    return read_description(json, name);
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace kiln::poclbin
