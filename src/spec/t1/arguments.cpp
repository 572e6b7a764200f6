#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "spec/read/type.hpp"
#include "spec/run/arrays.hpp"
#include "spec/t1/reading.hpp"
#include "spec/t1/t1.hpp"

// The arguments of a tuning problem: what they hold, and what they must be after a run.
namespace kiln::spec::t1 {
namespace {

constexpr std::string_view list_path = "KernelSpecification.Arguments";
constexpr std::string_view references_path = "KernelSpecification.ReferenceArguments";
/// Far above what a device takes.
constexpr std::size_t most_arguments = 1024;

/// The schema's names of scalars in OpenCL's words; others are the same in both.
std::string opencl_name(const std::string& type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> names{
      {{"int8", "char"},
       {"uint8", "uchar"},
       {"int16", "short"},
       {"uint16", "ushort"},
       {"int32", "int"},
       {"uint32", "uint"},
       {"int64", "long"},
       {"uint64", "ulong"}}};
  for (const auto& [theirs, ours] : names)
    if (type == theirs) return std::string(ours);
  return type;
}

std::optional<Type> read_type(Reading& reading, const Json& object, const std::string& path) {
  const auto* value = reading.reader.required(object, path, "Type", "a type");
  if (value == nullptr) return std::nullopt;
  const auto text = reading.reader.read_string(*value, join(path, "Type"), "a type");
  if (!text) return std::nullopt;
  const auto* bytes = *text == "custom" ? Reader::optional(object, "Bytes") : nullptr;
  if (bytes != nullptr) {
    const auto size = reading.reader.read_integer(*bytes, join(path, "Bytes"), 1,
                                                  Type::largest_struct, "an integer 1..65536");
    if (!size) return std::nullopt;
    return Type::opaque_structure(static_cast<std::size_t>(*size));
  }
  // "int8" is one byte here and a vector of eight integers in OpenCL.
  const auto type = Type::parse(opencl_name(*text));
  if (type) return *type;
  reading.unsupported(
      *value, join(path, "Type"),
      "int8 to uint64, float or double, a vector of these, or custom with its \"Bytes\" (half and "
      "bool have no value that can be made here)");
  return std::nullopt;
}

/// A text of a few; nothing where the object has none.
std::string read_choice(Reading& reading, const Json& object, const std::string& path,
                        std::string_view key, std::initializer_list<std::string_view> choices) {
  const auto* value = Reader::optional(object, key);
  if (value == nullptr) return "";
  if (value->is(Json::Kind::string) &&
      std::find(choices.begin(), choices.end(), value->text) != choices.end())
    return value->text;
  std::string all;
  for (const auto choice : choices)
    all += (all.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
  reading.unsupported(*value, join(path, key), "one of " + all);
  return "";
}

std::optional<expr::Value> read_number(Reading& reading, const Json& object,
                                       const std::string& path, std::string_view key,
                                       Reader::Shape shape = Reader::Shape::number) {
  const auto* value = Reader::optional(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is(Json::Kind::string)) {
    reading.reader.expected(*value, join(path, key), "a number");
    return std::nullopt;
  }
  const auto formula = reading.reader.read_formula(*value, join(path, key), shape);
  return formula ? std::optional(formula->literal) : std::nullopt;
}

std::optional<Formula> read_size(Reading& reading, const Json& object, const std::string& path,
                                 bool fixed) {
  const auto* size = reading.reader.required(object, path, "Size", "a number of elements");
  if (size == nullptr) return std::nullopt;
  return fixed ? read_fixed_size(reading, *size, join(path, "Size"))
               : read_expression(reading, *size, join(path, "Size"));
}

/// FillType and what belongs to it.
std::optional<Fill> read_fill(Reading& reading, const Json& object, const std::string& path) {
  const auto type = read_choice(reading, object, path, "FillType",
                                {"Constant", "Random", "Generator", "BinaryRaw"});
  Fill fill;
  fill.place = reading.reader.file() + ":" + std::to_string(reading.reader.line(object.at)) +
               ": attribute '" + path + "'";
  const auto value = read_number(reading, object, path, "FillValue");
  if (type == "Random") {
    fill.how = Fill::How::random;
    fill.value = value.value_or(1.0);
    if (const auto* seed = Reader::optional(object, "RandomSeed"))
      if (const auto number = reading.reader.read_integer(*seed, join(path, "RandomSeed"), 0,
                                                          INT64_MAX, "an integer"))
        fill.seed = static_cast<std::uint64_t>(*number);
    return fill;
  }
  if (type != "Generator" && type != "BinaryRaw") {
    fill.value = value.value_or(std::int64_t{0});
    return fill;
  }
  const auto* source = reading.reader.required(object, path, "DataSource",
                                               type == "Generator" ? "an expression" : "a file");
  if (source == nullptr) return std::nullopt;
  if (type == "BinaryRaw") {
    fill.how = Fill::How::file;
    const auto name = reading.reader.read_string(*source, join(path, "DataSource"), "a file");
    if (!name) return std::nullopt;
    fill.file = std::filesystem::path(reading.reader.file()).parent_path() / *name;
    return fill;
  }
  fill.how = Fill::How::generator;
  const std::vector<std::string_view> names{"i"};
  const auto formula = read_expression(reading, *source, join(path, "DataSource"), &names);
  if (!formula) return std::nullopt;
  if (formula->expression) {
    fill.generator = formula->expression;
  } else {
    fill.how = Fill::How::constant;
    fill.value = formula->literal;
  }
  return fill;
}

void read_scalar(Reading& reading, const Json& object, const std::string& path,
                 std::uint32_t position, const Type& type) {
  (void)read_choice(reading, object, path, "FillType", {"Constant"});
  const auto value =
      read_number(reading, object, path, "FillValue",
                  type.lanes() > 1 ? Reader::Shape::number_or_list : Reader::Shape::number);
  if (!value) {
    if (Reader::optional(object, "FillValue") == nullptr)
      reading.reader.error(object.at, join(path, "FillValue"), "missing, expected a number");
    return;
  }
  const Formula formula{value->text(), std::nullopt, *value, reading.reader.line(object.at),
                        join(path, "FillValue")};
  reading.problem.spec.var_arguments.push_back({position, type, formula, formula.line});
}

void read_vector(Reading& reading, const Json& object, const std::string& path,
                 std::uint32_t position, const Type& type) {
  const auto access =
      read_choice(reading, object, path, "AccessType", {"ReadOnly", "WriteOnly", "ReadWrite"});
  const auto size = read_size(reading, object, path, true);
  auto fill = read_fill(reading, object, path);
  if (!size || !fill) return;
  if (fill->how == Fill::How::generator && type.width != 1)
    reading.unsupported(object, path, "no Generator for a vector type");
  Buffer buffer;
  // Without a word about it, it may be both.
  buffer.role = access == "ReadOnly"    ? BufferRole::input
                : access == "WriteOnly" ? BufferRole::output
                                        : BufferRole::inout;
  buffer.position = fill->position = position;
  buffer.type = type;
  buffer.size = *size;
  buffer.line = reading.reader.line(object.at);
  reading.problem.spec.buffers.push_back(std::move(buffer));
  reading.problem.fills.push_back(*std::move(fill));
}

void read_argument(Reading& reading, const Json& object, const std::string& path,
                   std::uint32_t position) {
  if (!object.is(Json::Kind::object)) return reading.reader.expected(object, path, "an object");
  if (reading.reader.required(object, path, "MemoryType", "a kind of memory") == nullptr) return;
  const auto memory =
      read_choice(reading, object, path, "MemoryType", {"Scalar", "Vector", "Local"});
  const auto type = read_type(reading, object, path);
  if (!type || memory.empty()) return;
  if (memory == "Scalar") return read_scalar(reading, object, path, position, *type);
  if (memory == "Vector") return read_vector(reading, object, path, position, *type);
  if (const auto size = read_size(reading, object, path, false))
    reading.problem.spec.local_arguments.push_back(
        {position, *type, *size, reading.reader.line(object.at)});
}

/// The position of the argument with this name, which must be a written buffer.
std::optional<std::uint32_t> find_target(Reading& reading, const Json& arguments,
                                         const Json& target, const std::string& path) {
  for (std::size_t i = 0; i < arguments.items.size(); ++i) {
    const auto* name = arguments.items[i].find("Name");
    if (name == nullptr || !name->value.is(Json::Kind::string) || name->value.text != target.text)
      continue;
    for (const auto& buffer : reading.problem.spec.buffers)
      if (buffer.position == i && buffer.role != BufferRole::input) return buffer.position;
  }
  reading.reader.expected(target, join(path, "TargetName"),
                          "the name of an argument that the kernel writes");
  return std::nullopt;
}

void read_reference(Reading& reading, const Json& arguments, const Json& object,
                    const std::string& path) {
  if (!object.is(Json::Kind::object)) return reading.reader.expected(object, path, "an object");
  const auto* target = reading.reader.required(object, path, "TargetName", "an argument's name");
  if (target == nullptr) return;
  const auto position = find_target(reading, arguments, *target, path);
  auto fill = read_fill(reading, object, path);
  const auto method = read_choice(reading, object, path, "ValidationMethod",
                                  {"SideBySideComparison", "SideBySideRelativeComparison"});
  const auto threshold = read_number(reading, object, path, "ValidationThreshold");
  if (!position || !fill) return;
  fill->position = *position;
  const double bound = threshold && threshold->is_number() ? *threshold->to_double() : 1e-4;
  Reference reference{*std::move(fill), 0, 0};
  (method == "SideBySideRelativeComparison" ? reference.relative : reference.absolute) = bound;
  reading.problem.references.push_back(std::move(reference));
}

const Json* read_list(Reading& reading, const Json& kernel, std::string_view key,
                      std::string_view path) {
  const auto* list = Reader::optional(kernel, key);
  if (list == nullptr) return nullptr;
  if (list->is(Json::Kind::list) && list->items.size() <= most_arguments) return list;
  reading.reader.expected(*list, std::string(path), "a list of at most 1024 objects");
  return nullptr;
}

}  // namespace

void read_arguments(Reading& reading, const Json& kernel) {
  const auto* list = read_list(reading, kernel, "Arguments", list_path);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i)
    read_argument(reading, list->items[i], join(list_path, i), static_cast<std::uint32_t>(i));
}

void read_references(Reading& reading, const Json& kernel) {
  const auto* arguments = Reader::optional(kernel, "Arguments");
  const auto* list = read_list(reading, kernel, "ReferenceArguments", references_path);
  if (arguments == nullptr || !arguments->is(Json::Kind::list)) return;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i)
    read_reference(reading, *arguments, list->items[i], join(references_path, i));
}

}  // namespace kiln::spec::t1

// Filling arrays with what was read.
namespace kiln::spec {
namespace {

tl::unexpected<Error> refuse(const Fill& fill, Errc code, const std::string& why) {
  return fail(code, fmt::format("{}: {}", fill.place, one_line(why)));
}

Expected<void> fill_constant(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  if (type.is_struct() && fill.value == expr::Value(0)) {
    std::fill(memory.begin(), memory.end(), std::byte{0});
    return {};
  }
  const expr::Value value =
      type.width == 1 ? fill.value : expr::Value(expr::List(type.width, fill.value));
  const auto element = to_bytes(type, value);
  if (!element) return refuse(fill, element.error().code(), element.error().message());
  for (std::size_t at = 0; at + element->size() <= memory.size(); at += element->size())
    std::memcpy(memory.data() + at, element->data(), element->size());
  return {};
}

/// What fill_random gives lies in [0, 1), or in 0..4095 (0..127 for bytes): brought to 0..most.
template <class T>
void scale(std::span<std::byte> memory, double most) {
  for (std::size_t at = 0; at + sizeof(T) <= memory.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, memory.data() + at, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<double>(value) * most);
    else
      value = static_cast<T>(value % static_cast<T>(static_cast<T>(most) + 1));
    std::memcpy(memory.data() + at, &value, sizeof value);
  }
}

Expected<void> fill_uniform(const Fill& fill, const Type& type, std::uint64_t seed,
                            std::span<std::byte> memory) {
  fill_random(memory, type, fill.seed.value_or(seed), fill.position);
  const auto most = fill.value.to_double();
  if (!most) return refuse(fill, most.error().code(), most.error().message());
  const bool whole = type.kind() != ScalarKind::floating;
  // Larger numbers than fill_random gives need no bound.
  const double largest = type.scalar_bytes() == 1 ? 127 : 4095;
  if (whole && *most >= largest) return {};
  if (whole && *most < 0)
    return refuse(fill, Errc::bad_input,
                  fmt::format("found the bound {}, expected 0 or more for whole random numbers",
                              fill.value.text()));
  switch (type.scalar_bytes()) {
    case 1:
      scale<std::uint8_t>(memory, *most);
      break;
    case 2:
      scale<std::uint16_t>(memory, *most);
      break;
    case 4:
      whole ? scale<std::uint32_t>(memory, *most) : scale<float>(memory, *most);
      break;
    default:
      whole ? scale<std::uint64_t>(memory, *most) : scale<double>(memory, *most);
  }
  return {};
}

Expected<void> fill_generated(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  expr::Scope scope;
  const std::size_t step = type.bytes();
  for (std::size_t i = 0; (i + 1) * step <= memory.size(); ++i) {
    scope.set("i", static_cast<std::int64_t>(i));
    const auto value = fill.generator->evaluate(scope);
    const auto bytes = value ? to_bytes(type, *value) : tl::unexpected(value.error());
    if (!bytes)
      return refuse(fill, Errc::bad_input,
                    fmt::format("element {}: {}", i, bytes.error().message()));
    std::memcpy(memory.data() + i * step, bytes->data(), step);
  }
  return {};
}

Expected<void> fill_from_file(const Fill& fill, std::span<std::byte> memory) {
  const auto bytes = read_file(fill.file, 1ull << 41);
  if (!bytes) return refuse(fill, bytes.error().code(), bytes.error().message());
  if (bytes->size() != memory.size())
    return refuse(fill, Errc::bad_input,
                  fmt::format("{}: found {} bytes, expected {}", fill.file.string(), bytes->size(),
                              memory.size()));
  std::memcpy(memory.data(), bytes->data(), memory.size());
  return {};
}

}  // namespace

Expected<void> fill_array(const Fill& fill, const Type& type, std::uint64_t seed,
                          std::span<std::byte> memory) {
  switch (fill.how) {
    case Fill::How::constant:
      return fill_constant(fill, type, memory);
    case Fill::How::random:
      return fill_uniform(fill, type, seed, memory);
    case Fill::How::generator:
      return fill_generated(fill, type, memory);
    case Fill::How::file:
      break;
  }
  return fill_from_file(fill, memory);
}

}  // namespace kiln::spec
