#include <array>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

constexpr std::array<std::string_view, 6> var_keys = {"pos",    "type",  "value",
                                                      "fields", "bytes", "packed"};
// A published file gives a local argument a `break`, which means nothing there.
constexpr std::array<std::string_view, 7> local_keys = {"pos",    "type",  "size",  "break",
                                                        "fields", "bytes", "packed"};

void read_var(const Json& object, const std::string& path, Spec& spec, Reader& reader) {
  reader.warn_of_unknown(object, path, var_keys);
  const auto position = reader.read_position(object, path);
  auto valued = reader.read_valued(object, path);
  if (!position || !valued) return;
  spec.var_arguments.push_back(
      {*position, std::move(valued->type), std::move(valued->value), reader.line(object.at)});
}

/// The original insists on a string for `size`; a number can only mean itself.
void read_local(const Json& object, const std::string& path, Spec& spec, Reader& reader) {
  reader.warn_of_unknown(object, path, local_keys);
  const auto position = reader.read_position(object, path);
  const auto type = reader.read_type(object, path, Reader::EmptyType::is_error);
  const Json* size = reader.required(object, path, "size", "the number of elements");
  if (size == nullptr) return;
  auto formula = reader.read_formula(*size, join(path, "size"), Reader::Shape::number);
  if (!position || !type || !formula) return;
  spec.local_arguments.push_back({*position, *type, *std::move(formula), reader.line(object.at)});
}

using ReadItem = void (*)(const Json&, const std::string&, Spec&, Reader&);

void read_list(const Json& root, std::string_view key, std::string_view members, ReadItem read,
               Spec& spec, Reader& reader) {
  const Json* list = Reader::optional(root, key);
  if (list == nullptr) return;
  if (!list->is(Json::Kind::list)) {
    reader.expected(*list, std::string(key), "a list of objects " + std::string(members));
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Json& item = list->items[i];
    if (item.is(Json::Kind::object)) {
      read(item, join(key, i), spec, reader);
    } else {
      reader.expected(item, join(key, i), "an object " + std::string(members));
    }
  }
}

}  // namespace

void read_arguments(const Json& root, Spec& spec, Reader& reader) {
  read_list(root, "varArguments", R"({"pos", "type", "value"})", read_var, spec, reader);
  read_list(root, "localArguments", R"({"pos", "type", "size"})", read_local, spec, reader);
}

}  // namespace kiln::spec
