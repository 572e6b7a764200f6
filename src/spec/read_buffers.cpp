#include <array>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

constexpr std::array<std::string_view, 12> buffer_keys = {
    "pos",    "type",      "size",     "break",  "chunk", "from",
    "create", "enq_write", "enq_read", "fields", "bytes", "packed"};

/// 1 slices, anything else does not. A value that is no number is a slip, yet never sliced.
bool read_break(const Json& object, const std::string& path, Reader& reader) {
  constexpr std::string_view what = "1 (slice along the partition) or 0 (whole to each device)";
  const Json* value = reader.required(object, path, "break", what);
  if (value == nullptr) return false;
  switch (value->kind) {
    case Json::Kind::boolean:
      return value->boolean;
    case Json::Kind::real:
      return value->real == 1;
    case Json::Kind::integer:
      if (value->integer != 0 && value->integer != 1) {
        reader.warning(
            value->at, join(path, "break"),
            "found " + describe(*value) + ", expected " + std::string(what) + ": it counts as 0");
      }
      return value->integer == 1;
    default:
      reader.expected(*value, join(path, "break"), what);
      return false;
  }
}

/// Graphs: which kernel's argument fills this buffer.
std::optional<DataSource> read_from(const Json& object, const std::string& path, Reader& reader) {
  constexpr std::string_view what = "an object {\"kernel\": id, \"pos\": argument position}";
  const Json* value = Reader::optional(object, "from");
  if (value == nullptr) return std::nullopt;
  const std::string from = join(path, "from");
  if (!value->is(Json::Kind::object)) {
    reader.expected(*value, from, what);
    return std::nullopt;
  }
  const Json* kernel = reader.required(*value, from, "kernel", "the id of the kernel");
  auto id = kernel == nullptr ? std::nullopt : reader.read_id(*kernel, join(from, "kernel"));
  const auto position = reader.read_position(*value, from);
  static constexpr std::array<std::string_view, 2> keys = {"kernel", "pos"};
  reader.warn_of_unknown(*value, from, keys);
  if (!id || !position) return std::nullopt;
  return DataSource{*std::move(id), *position};
}

/// Run-time state that graph dumps contain. The original sets it anew on load, so it is only kept.
bool read_flag(const Json& object, const std::string& path, std::string_view key, Reader& reader) {
  const Json* value = Reader::optional(object, key);
  if (value == nullptr) return true;
  if (value->is(Json::Kind::boolean)) return value->boolean;
  if (value->is(Json::Kind::integer)) return value->integer != 0;
  reader.expected(*value, join(path, key), "true or false");
  return true;
}

/// Reads every member even after an error: a check lists all of them.
void read_buffer(const Json& object, const std::string& path, BufferRole role, Spec& spec,
                 Reader& reader) {
  if (!object.is(Json::Kind::object)) {
    reader.expected(object, path, "an object {\"pos\", \"type\", \"size\", \"break\"}");
    return;
  }
  reader.warn_of_unknown(object, path, buffer_keys);
  const auto position = reader.read_position(object, path);
  const auto type = reader.read_type(object, path, Reader::EmptyType::is_double);
  const Json* size = reader.required(object, path, "size", "the number of elements");
  auto elements = size == nullptr
                      ? std::nullopt
                      : reader.read_formula(*size, join(path, "size"), Reader::Shape::number);
  const bool sliceable = read_break(object, path, reader);
  std::optional<Formula> chunk;
  if (const Json* value = Reader::optional(object, "chunk")) {
    chunk = reader.read_formula(*value, join(path, "chunk"), Reader::Shape::number);
  }
  auto from = read_from(object, path, reader);
  if (!position || !type || !elements) return;
  spec.buffers.push_back({.role = role,
                          .position = *position,
                          .type = *type,
                          .size = *std::move(elements),
                          .sliceable = sliceable,
                          .chunk = std::move(chunk),
                          .from = std::move(from),
                          .create = read_flag(object, path, "create", reader),
                          .enqueue_write = read_flag(object, path, "enq_write", reader),
                          .enqueue_read = read_flag(object, path, "enq_read", reader),
                          .line = reader.line(object.at)});
}

}  // namespace

void read_buffers(const Json& root, Spec& spec, Reader& reader) {
  static constexpr std::pair<std::string_view, BufferRole> lists[] = {
      {"inputBuffers", BufferRole::input},
      {"outputBuffers", BufferRole::output},
      {"ioBuffers", BufferRole::inout}};
  for (const auto& [key, role] : lists) {
    const Json* list = Reader::optional(root, key);
    if (list == nullptr) continue;
    if (!list->is(Json::Kind::list)) {
      reader.expected(*list, std::string(key), "a list of buffers");
      continue;
    }
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      read_buffer(list->items[i], join(key, i), role, spec, reader);
    }
  }
}

}  // namespace kiln::spec
