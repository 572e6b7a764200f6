#include <algorithm>
#include <array>

#include "spec/read/reader.hpp"

// The kernel arguments of a specification file: buffers, values and local memory; and whether their
// positions are complete.
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

/// Run-time state that graph dumps contain. The original resets it on load, so it is only kept.
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

struct Placed {
  std::uint32_t position;
  std::uint32_t line;
  std::string attribute;  ///< "inputBuffers[0]"
};

/// By position; of equal ones the file's first comes first and counts as the owner.
std::vector<Placed> all_arguments(const Spec& spec) {
  std::vector<Placed> placed;
  const auto add = [&](const auto& argument, const Formula& formula) {
    placed.push_back({argument.position, argument.line,
                      formula.attribute.substr(0, formula.attribute.rfind('.'))});
  };
  for (const auto& buffer : spec.buffers) add(buffer, buffer.size);
  for (const auto& var : spec.var_arguments) add(var, var.value);
  for (const auto& local : spec.local_arguments) add(local, local.size);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.position < b.position; });
  return placed;
}

}  // namespace

void read_arguments(const Json& root, Spec& spec, Reader& reader) {
  read_buffers(root, spec, reader);
  read_list(root, "varArguments", R"({"pos", "type", "value"})", read_var, spec, reader);
  read_list(root, "localArguments", R"({"pos", "type", "size"})", read_local, spec, reader);
}

// A gap is an error though the original loads such files: the launch then fails with an argument
// that was never set, and the driver cannot say which line of which file is to blame.
void check_positions(const Spec& spec, Reader& reader) {
  const auto placed = all_arguments(spec);
  const auto report = [&](Message::Severity severity, const Placed& at, std::string text) {
    reader.add({severity, reader.file(), at.line, 0, at.attribute + ".pos", std::move(text)});
  };
  if (placed.empty()) {
    reader.warning(0, "", "the specification lists no kernel arguments");
    return;
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto& here = placed[i];
    if (i > 0 && here.position == placed[i - 1].position) {
      report(Message::Severity::error, here,
             "found position " + std::to_string(here.position) + ", which " +
                 placed[i - 1].attribute + " has too, expected each position once");
    } else if (here.position > next) {
      report(Message::Severity::error, here,
             "found position " + std::to_string(here.position) + ", expected " +
                 std::to_string(next) + " first: no argument has that position");
    }
    next = here.position + 1;
  }
}

}  // namespace kiln::spec
