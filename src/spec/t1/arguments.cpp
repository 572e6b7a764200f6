#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/os/file.hpp"
#include "spec/read/type.hpp"
#include "spec/run/arrays.hpp"
#include "spec/t1/reading.hpp"
#include "spec/t1/t1.hpp"

// The arguments of a tuning problem: what they hold, and what they must be after a run.
namespace kiln::spec::t1 {
namespace {

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

Type read_type(const Node& object) {
  const auto value = object.member("Type", "a type");
  const auto text = value.text("a type");
  if (const auto bytes = text == "custom" ? object.optional("Bytes") : std::nullopt)
    return Type::opaque_structure(
        static_cast<std::size_t>(bytes->integer(1, Type::largest_struct, "an integer 1..65536")));
  // "int8" is one byte here and a vector of eight integers in OpenCL.
  const auto type = Type::parse(opencl_name(text));
  if (!type)
    value.expected(
        "int8 to uint64, float or double, a vector of these, or custom with its \"Bytes\" (half "
        "and bool have no value that can be made here)",
        Errc::unsupported);
  return *type;
}

/// A text of a few; nothing where the object has none.
std::string read_choice(const Node& object, std::string_view key,
                        std::initializer_list<std::string_view> choices) {
  const auto value = object.optional(key);
  if (!value) return "";
  if (value->is(Json::Kind::string) &&
      std::find(choices.begin(), choices.end(), value->json.text) != choices.end())
    return value->json.text;
  std::string all;
  for (const auto choice : choices)
    all += (all.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
  value->expected("one of " + all, Errc::unsupported);
}

std::optional<expr::Value> read_number(const Node& object, std::string_view key,
                                       Reader::Shape shape = Reader::Shape::number) {
  const auto value = object.optional(key);
  if (!value) return std::nullopt;
  if (value->is(Json::Kind::string)) value->expected("a number");
  return value->literal(shape);
}

Node size_of(const Node& object) { return object.member("Size", "a number of elements"); }

/// FillType and what belongs to it.
Fill read_fill(const Node& object) {
  const auto type =
      read_choice(object, "FillType", {"Constant", "Random", "Generator", "BinaryRaw"});
  Fill fill;
  fill.place = object.in.reader.file() + ":" + std::to_string(object.line()) + ": attribute '" +
               object.path + "'";
  const auto value = read_number(object, "FillValue");
  if (type == "Random") {
    fill.how = Fill::How::random;
    fill.value = value.value_or(1.0);
    if (const auto seed = object.optional("RandomSeed"))
      fill.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX, "an integer"));
  } else if (type == "BinaryRaw") {
    fill.how = Fill::How::file;
    fill.file = std::filesystem::path(object.in.reader.file()).parent_path() /
                object.member("DataSource", "a file").text("a file");
  } else if (type == "Generator") {
    const std::vector<std::string_view> names{"i"};
    const auto formula = read_expression(object.member("DataSource", "an expression"), &names);
    fill.how = formula.expression ? Fill::How::generator : Fill::How::constant;
    fill.generator = formula.expression;
    fill.value = formula.literal;
  } else {
    fill.value = value.value_or(std::int64_t{0});
  }
  return fill;
}

void read_scalar(const Node& object, std::uint32_t position, const Type& type) {
  (void)read_choice(object, "FillType", {"Constant"});
  const auto value =
      read_number(object, "FillValue",
                  type.lanes() > 1 ? Reader::Shape::number_or_list : Reader::Shape::number);
  if (!value) object.missing("FillValue", "a number");
  const Formula formula{value->text(), std::nullopt, *value, object.line(),
                        join(object.path, "FillValue")};
  object.in.problem.spec.var_arguments.push_back({position, type, formula, formula.line});
}

void read_vector(const Node& object, std::uint32_t position, const Type& type) {
  const auto access = read_choice(object, "AccessType", {"ReadOnly", "WriteOnly", "ReadWrite"});
  Buffer buffer;
  buffer.size = read_fixed_size(size_of(object));
  auto fill = read_fill(object);
  if (fill.how == Fill::How::generator && type.width != 1)
    object.expected("no Generator for a vector type", Errc::unsupported);
  // Without a word about it, it may be both.
  buffer.role = access == "ReadOnly"    ? BufferRole::input
                : access == "WriteOnly" ? BufferRole::output
                                        : BufferRole::inout;
  buffer.position = fill.position = position;
  buffer.type = type;
  buffer.line = object.line();
  object.in.problem.spec.buffers.push_back(std::move(buffer));
  object.in.problem.fills.push_back(std::move(fill));
}

void read_argument(const Node& object, std::uint32_t position) {
  object.object().member("MemoryType", "a kind of memory");
  const auto memory = read_choice(object, "MemoryType", {"Scalar", "Vector", "Local"});
  const auto type = read_type(object);
  if (memory == "Scalar")
    read_scalar(object, position, type);
  else if (memory == "Vector")
    read_vector(object, position, type);
  else if (memory == "Local")
    object.in.problem.spec.local_arguments.push_back(
        {position, type, read_expression(size_of(object)), object.line()});
}

/// The position of the argument with this name, which must be a written buffer.
std::uint32_t find_target(const Json& arguments, const Node& target) {
  for (std::size_t i = 0; i < arguments.items.size(); ++i) {
    const auto* name = arguments.items[i].find("Name");
    if (name == nullptr || !name->value.is(Json::Kind::string) ||
        name->value.text != target.json.text)
      continue;
    for (const auto& buffer : target.in.problem.spec.buffers)
      if (buffer.position == i && buffer.role != BufferRole::input) return buffer.position;
  }
  target.expected("the name of an argument that the kernel writes");
}

void read_reference(const Json& arguments, const Node& object) {
  const auto target = object.object().member("TargetName", "an argument's name");
  const auto position = find_target(arguments, target);
  Reference reference{read_fill(object), 0, 0};
  reference.fill.position = position;
  const auto method = read_choice(object, "ValidationMethod",
                                  {"SideBySideComparison", "SideBySideRelativeComparison"});
  const auto threshold = read_number(object, "ValidationThreshold");
  (method == "SideBySideRelativeComparison" ? reference.relative : reference.absolute) =
      threshold && threshold->is_number() ? *threshold->to_double() : 1e-4;
  object.in.problem.references.push_back(std::move(reference));
}

/// Those that there are, at most.
std::vector<Node> read_list(const Node& kernel, std::string_view key) {
  const auto list = kernel.optional(key);
  if (!list) return {};
  return list->items("a list of at most 1024 objects", most_arguments);
}

}  // namespace

void read_arguments(const Node& kernel) {
  std::uint32_t position = 0;
  for (const auto& item : read_list(kernel, "Arguments")) read_argument(item, position++);
}

void read_references(const Node& kernel) {
  const auto arguments = kernel.optional("Arguments");
  for (const auto& item : read_list(kernel, "ReferenceArguments"))
    if (arguments) read_reference(arguments->json, item);
}

}  // namespace kiln::spec::t1

// Filling arrays with what was read.
namespace kiln::spec {
namespace {

[[noreturn]] void refuse(const Fill& fill, Errc code, const std::string& why) {
  throw Error(code, fmt::format("{}: {}", fill.place, one_line(why)));
}

/// What a step came to, or a refusal with the fill's place.
template <class T>
T checked(const Fill& fill, Expected<T> result) {
  if (!result) refuse(fill, result.error().code(), result.error().message());
  return *std::move(result);
}

void fill_constant(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  if (type.is_struct() && fill.value == expr::Value(0))
    return std::fill(memory.begin(), memory.end(), std::byte{0});
  const expr::Value value =
      type.width == 1 ? fill.value : expr::Value(expr::List(type.width, fill.value));
  const auto element = checked(fill, to_bytes(type, value));
  for (std::size_t at = 0; at + element.size() <= memory.size(); at += element.size())
    std::memcpy(memory.data() + at, element.data(), element.size());
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

void fill_uniform(const Fill& fill, const Type& type, std::uint64_t seed,
                  std::span<std::byte> memory) {
  fill_random(memory, type, fill.seed.value_or(seed), fill.position);
  const double most = checked(fill, fill.value.to_double());
  const bool whole = type.kind() != ScalarKind::floating;
  // Larger numbers than fill_random gives need no bound.
  const double largest = type.scalar_bytes() == 1 ? 127 : 4095;
  if (whole && most >= largest) return;
  if (whole && most < 0)
    refuse(fill, Errc::bad_input,
           fmt::format("found the bound {}, expected 0 or more for random integers",
                       fill.value.text()));
  switch (type.scalar_bytes()) {
    case 1:
      return scale<std::uint8_t>(memory, most);
    case 2:
      return scale<std::uint16_t>(memory, most);
    case 4:
      return whole ? scale<std::uint32_t>(memory, most) : scale<float>(memory, most);
    default:
      return whole ? scale<std::uint64_t>(memory, most) : scale<double>(memory, most);
  }
}

void fill_generated(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  expr::Scope scope;
  const std::size_t step = type.bytes();
  for (std::size_t i = 0; (i + 1) * step <= memory.size(); ++i) {
    scope.set("i", static_cast<std::int64_t>(i));
    const auto value = fill.generator->evaluate(scope);
    const auto bytes = value ? to_bytes(type, *value) : tl::unexpected(value.error());
    if (!bytes)
      refuse(fill, Errc::bad_input, fmt::format("element {}: {}", i, bytes.error().message()));
    std::memcpy(memory.data() + i * step, bytes->data(), step);
  }
}

void fill_from_file(const Fill& fill, std::span<std::byte> memory) {
  const auto bytes = checked(fill, read_file(fill.file, 1ull << 41));
  if (bytes.size() != memory.size())
    refuse(fill, Errc::bad_input,
           fmt::format("{}: found {} bytes, expected {}", fill.file.string(), bytes.size(),
                       memory.size()));
  std::memcpy(memory.data(), bytes.data(), memory.size());
}

}  // namespace

Expected<void> fill_array(const Fill& fill, const Type& type, std::uint64_t seed,
                          std::span<std::byte> memory) {
  return expected_from([&] {
    switch (fill.how) {
      case Fill::How::constant:
        return fill_constant(fill, type, memory);
      case Fill::How::random:
        return fill_uniform(fill, type, seed, memory);
      case Fill::How::generator:
        return fill_generated(fill, type, memory);
      case Fill::How::file:
        return fill_from_file(fill, memory);
    }
  });
}

}  // namespace kiln::spec
