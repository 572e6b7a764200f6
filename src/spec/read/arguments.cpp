#include <algorithm>

#include "spec/read/reader.hpp"

// The kernel arguments of a specification file: buffers, values and local memory; and whether their
// positions are complete.
namespace kiln::spec {
namespace {

/// What was read of an argument.
struct ArgumentParts {
  std::optional<std::uint32_t> position;
  std::optional<Type> type;
  std::optional<Formula> size;
  Buffer buffer;  ///< what else a buffer has
};

constexpr std::string_view a_type = "a type, such as \"float\"";
constexpr std::string_view element_count = "the number of elements";
constexpr std::string_view break_values =
    "1 (slice along the partition) or 0 (whole to each device)";

void read_position(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  argument.position = reader.read_position(found);
}

template <Reader::EmptyType empty>
void read_type(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  argument.type = reader.read_type(found.object, found.parent, empty);
}

/// The original insists on a string for local memory; a number can only mean itself.
void read_size(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  argument.size = reader.read_formula(found.value, found.path, Reader::Shape::number);
}

void read_chunk(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  argument.buffer.chunk = reader.read_formula(found.value, found.path, Reader::Shape::number);
}

/// 1 slices, anything else does not. A value that is no number is a slip, yet never sliced.
void read_break(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  const Json& value = found.value;
  bool& slices = argument.buffer.sliceable;
  switch (value.kind) {
    case Json::Kind::boolean:
      slices = value.boolean;
      break;
    case Json::Kind::real:
      slices = value.real == 1;
      break;
    case Json::Kind::integer:
      slices = value.integer == 1;
      if (value.integer != 0 && !slices)
        reader.warning(value.at, found.path,
                       "found " + describe(value) + ", expected " + std::string(break_values) +
                           ": it counts as 0");
      break;
    default:
      reader.expected(value, found.path, break_values);
  }
}

struct SourceParts {
  std::optional<std::string> kernel;
  std::optional<std::uint32_t> position;
};
constexpr Field<SourceParts> source_fields[] = {
    {"kernel",
     [](const Attribute& found, SourceParts& source, Reader& reader) {
       source.kernel = reader.read_id(found.value, found.path);
     },
     "the id of the kernel"},
    {"pos",
     [](const Attribute& found, SourceParts& source, Reader& reader) {
       source.position = reader.read_position(found);
     },
     position_range}};

/// Graphs: which kernel's argument fills this buffer.
void read_from(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  if (!found.value.is(Json::Kind::object))
    return reader.expected(found.value, found.path,
                           "an object {\"kernel\": id, \"pos\": argument position}");
  SourceParts source;
  reader.read_fields(found.value, found.path, source_fields, source);
  if (source.kernel && source.position)
    argument.buffer.from = DataSource{*std::move(source.kernel), *source.position};
}

/// Run-time state that graph dumps contain. The original resets it on load, so it is only kept.
template <bool Buffer::*flag>
void read_flag(const Attribute& found, ArgumentParts& argument, Reader& reader) {
  if (found.value.is(Json::Kind::boolean))
    argument.buffer.*flag = found.value.boolean;
  else if (found.value.is(Json::Kind::integer))
    argument.buffer.*flag = found.value.integer != 0;
  else
    reader.expected(found.value, found.path, "true or false");
}

// What a structure's type has is read along with "type".
constexpr Field<ArgumentParts> buffer_fields[] = {
    {"pos", read_position, position_range},
    {"type", read_type<Reader::EmptyType::is_double>, a_type},
    {"size", read_size, element_count},
    {"break", read_break, break_values},
    {"chunk", read_chunk},
    {"from", read_from},
    {"create", read_flag<&Buffer::create>},
    {"enq_write", read_flag<&Buffer::enqueue_write>},
    {"enq_read", read_flag<&Buffer::enqueue_read>},
    {"fields"},
    {"bytes"},
    {"packed"}};
// A published file gives a local argument a `break`, which means nothing there.
constexpr Field<ArgumentParts> local_fields[] = {
    {"pos", read_position, position_range},
    {"type", read_type<Reader::EmptyType::is_error>, a_type},
    {"size", read_size, element_count},
    {"break"},
    {"fields"},
    {"bytes"},
    {"packed"}};
// A value is read along with its type.
constexpr Field<ArgumentParts> var_fields[] = {
    {"pos", read_position, position_range}, {"type"}, {"value"}, {"fields"}, {"bytes"}, {"packed"}};

/// Calls `read` with each object of a list, and its path.
template <class Read>
void for_each_object(const Attribute& found, std::string_view list, std::string_view members,
                     Reader& reader, Read read) {
  const auto items = reader.items_of(found.value, found.path, list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string path = join(found.path, i);
    if (items[i].is(Json::Kind::object))
      read(items[i], path);
    else
      reader.expected(items[i], path, "an object " + std::string(members));
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

void read_buffers(const Attribute& found, Spec& spec, Reader& reader) {
  const BufferRole role = found.path == "inputBuffers"    ? BufferRole::input
                          : found.path == "outputBuffers" ? BufferRole::output
                                                          : BufferRole::inout;
  for_each_object(found, "a list of buffers", R"({"pos", "type", "size", "break"})", reader,
                  [&](const Json& object, const std::string& path) {
                    ArgumentParts read;
                    reader.read_fields(object, path, buffer_fields, read);
                    if (!read.position || !read.type || !read.size) return;
                    Buffer& buffer = spec.buffers.emplace_back(std::move(read.buffer));
                    buffer.role = role;
                    buffer.position = *read.position;
                    buffer.type = *std::move(read.type);
                    buffer.size = *std::move(read.size);
                    buffer.line = reader.line(object.at);
                  });
}

void read_vars(const Attribute& found, Spec& spec, Reader& reader) {
  constexpr std::string_view members = R"({"pos", "type", "value"})";
  for_each_object(
      found, "a list of objects " + std::string(members), members, reader,
      [&](const Json& object, const std::string& path) {
        ArgumentParts read;
        reader.read_fields(object, path, var_fields, read);
        auto valued = reader.read_valued(object, path);
        if (!read.position || !valued || !valued->value) return;
        spec.var_arguments.push_back({*read.position, std::move(valued->type),
                                      *std::move(valued->value), reader.line(object.at)});
      });
}

void read_locals(const Attribute& found, Spec& spec, Reader& reader) {
  constexpr std::string_view members = R"({"pos", "type", "size"})";
  for_each_object(found, "a list of objects " + std::string(members), members, reader,
                  [&](const Json& object, const std::string& path) {
                    ArgumentParts read;
                    reader.read_fields(object, path, local_fields, read);
                    if (!read.position || !read.type || !read.size) return;
                    spec.local_arguments.push_back({*read.position, *std::move(read.type),
                                                    *std::move(read.size), reader.line(object.at)});
                  });
}

// A gap is an error though the original loads such files: the launch then fails with an argument
// that was never set, and the driver cannot say which line of which file is to blame.
void check_positions(const Spec& spec, Reader& reader) {
  const auto placed = all_arguments(spec);
  const auto report = [&](const Placed& at, std::string text) {
    reader.add({Message::Severity::error, reader.file(), at.line, 0, at.attribute + ".pos",
                std::move(text)});
  };
  if (placed.empty()) {
    reader.warning(0, "", "the specification lists no kernel arguments");
    return;
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto& here = placed[i];
    if (i > 0 && here.position == placed[i - 1].position) {
      report(here, "found position " + std::to_string(here.position) + ", which " +
                       placed[i - 1].attribute + " has too, expected each position once");
    } else if (here.position > next) {
      report(here, "found position " + std::to_string(here.position) + ", expected " +
                       std::to_string(next) + " first: no argument has that position");
    }
    next = here.position + 1;
  }
}

}  // namespace kiln::spec
