#include <algorithm>
#include <memory>

#include "spec/t1/reading.hpp"

// Reads the whole of a tuning problem: first its parameters with their values and conditions, then
// the kernel, whose sizes are read in geometry.cpp and whose arguments in arguments.cpp.
namespace kiln::spec::t1 {
namespace {

constexpr std::string_view space_path = "ConfigurationSpace";

/// "list(range(1, 9))": Python's functions that files use for values, besides the language's own.
expr::Scope values_scope() {
  expr::Scope scope;
  scope.define("list", 1, 1, [](std::span<const expr::Value> given) -> Expected<expr::Value> {
    if (given[0].is_list()) return given[0];
    return fail(Errc::bad_input,
                std::string("list: found ") + given[0].type_name() + ", expected a list");
  });
  // Of all calls in a text together: a short one could ask for gigabytes.
  const auto left = std::make_shared<std::size_t>(tune::kMostValues);
  scope.define("range", 1, 3, [left](std::span<const expr::Value> given) -> Expected<expr::Value> {
    std::int64_t numbers[3] = {0, 0, 1};
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i].is_integer())
        return fail(Errc::bad_input, "range: found " + given[i].text() + ", expected an integer");
      numbers[given.size() == 1 ? 1 : i] = *given[i].to_integer();
    }
    const auto [first, end, step] = numbers;
    if (step == 0) return fail(Errc::bad_input, "range: found the step 0, expected another");
    expr::List list;
    for (std::int64_t value = first; step > 0 ? value < end : value > end;) {
      if ((*left)-- == 0)
        return fail(Errc::bad_input,
                    "range: found more than " + std::to_string(tune::kMostValues) + " values");
      list.emplace_back(value);
      if (__builtin_add_overflow(value, step, &value)) break;
    }
    return expr::Value(std::move(list));
  });
  return scope;
}

/// Values as most files have them, a text "[16, 32]", or as a list.
std::optional<expr::List> read_values(Reading& reading, const Json& value,
                                      const std::string& path) {
  std::optional<expr::Value> found;
  if (value.is(Json::Kind::string)) {
    const auto expression = expr::Expression::parse(value.text, expr::Dialect::python3);
    const auto result =
        expression ? expression->evaluate(values_scope()) : tl::unexpected(expression.error());
    if (!result) {
      reading.reader.error(value.at, path,
                           "found " + quote(value.text) +
                               ", expected a list of values: " + result.error().message());
      return std::nullopt;
    }
    found = *result;
  } else if (value.is(Json::Kind::list)) {
    const auto list = reading.reader.read_formula(value, path, Reader::Shape::number_or_list);
    if (!list) return std::nullopt;
    found = list->literal;
  }
  if (found && found->is_list() && !std::get<expr::List>(found->data()).empty())
    return std::get<expr::List>(found->data());
  reading.reader.expected(value, path, "a list of values, as \"[16, 32]\"");
  return std::nullopt;
}

/// A value as tuning records keep it: an integer. A boolean is one in C, too.
std::optional<std::int64_t> whole(Reading& reading, const Json& at, const std::string& path,
                                  const expr::Value& value) {
  if (value.is_integer()) return *value.to_integer();
  reading.unsupported(at, path,
                      "integers, which alone can be kept on record (it has the value " +
                          value.text().substr(0, 40) + ")");
  return std::nullopt;
}

bool is_known_type(std::string_view type) {
  constexpr std::string_view known[] = {"int", "uint", "bool", "float", "string", "UnsignedInt"};
  return std::find(std::begin(known), std::end(known), type) != std::end(known);
}

void read_default(Reading& reading, const Json& object, const std::string& path,
                  const std::string& name) {
  const auto* value = Reader::optional(object, "Default");
  if (value == nullptr) return;
  // Published files have it in a list now and then.
  if (value->is(Json::Kind::list) && value->items.size() == 1) value = &value->items.front();
  if (value->is(Json::Kind::integer))
    reading.problem.defaults[name] = value->integer;
  else if (value->is(Json::Kind::boolean))
    reading.problem.defaults[name] = value->boolean ? 1 : 0;
  else
    reading.reader.expected(*value, join(path, "Default"), "an integer");
}

void read_parameter(Reading& reading, const Json& object, const std::string& path) {
  if (!object.is(Json::Kind::object)) return reading.reader.expected(object, path, "an object");
  const auto* name = reading.reader.required(object, path, "Name", "a name");
  const auto* type = reading.reader.required(object, path, "Type", "a type");
  const auto* values = reading.reader.required(object, path, "Values", "a list of values");
  if (name == nullptr || type == nullptr || values == nullptr) return;
  if (!name->is(Json::Kind::string) || !tune::is_parameter_name(name->text) ||
      name->text == problem_size_name)
    return reading.reader.expected(*name, join(path, "Name"), "a name as macros have it");
  if (!type->is(Json::Kind::string) || !is_known_type(type->text))
    return reading.reader.expected(*type, join(path, "Type"),
                                   "\"int\", \"uint\", \"bool\", \"float\" or \"string\"");
  const auto list = read_values(reading, *values, join(path, "Values"));
  if (!list) return;
  tune::Parameter parameter{name->text, {}};
  for (const auto& each : *list) {
    const auto value = whole(reading, *values, join(path, "Values"), each);
    if (!value) return;
    parameter.values.emplace_back(*value);
  }
  reading.problem.parameters.push_back(std::move(parameter));
  read_default(reading, object, path, name->text);
}

void read_condition(Reading& reading, const Json& object, const std::string& path) {
  if (!object.is(Json::Kind::object)) return reading.reader.expected(object, path, "an object");
  const auto* expression = reading.reader.required(object, path, "Expression", "a condition");
  if (expression == nullptr) return;
  const auto text =
      reading.reader.read_string(*expression, join(path, "Expression"), "a condition in a text");
  if (!text) return;
  auto constraint = tune::parse_constraint(*text, reading.problem.parameters);
  if (!constraint)
    return reading.reader.error(expression->at, join(path, "Expression"),
                                constraint.error().message());
  reading.problem.constraints.push_back(*std::move(constraint));
}

/// The items of a list of objects.
template <class Read>
void for_each_item(Reading& reading, const Json& list, const std::string& path, Read read) {
  if (!list.is(Json::Kind::list)) return reading.reader.expected(list, path, "a list of objects");
  for (std::size_t i = 0; i < list.items.size(); ++i) read(list.items[i], join(path, i));
}

void read_configuration_space(Reading& reading, const Json& root) {
  const auto* space = reading.reader.required(root, "", space_path, "an object");
  if (space == nullptr) return;
  if (!space->is(Json::Kind::object))
    return reading.reader.expected(*space, std::string(space_path), "an object");
  const auto* parameters =
      reading.reader.required(*space, space_path, "TuningParameters", "a list of parameters");
  if (parameters == nullptr) return;
  for_each_item(
      reading, *parameters, join(space_path, "TuningParameters"),
      [&](const Json& item, const std::string& path) { read_parameter(reading, item, path); });
  if (reading.reader.has_errors()) return;  // conditions would complain of names that are missing
  if (const auto* conditions = Reader::optional(*space, "Conditions"))
    for_each_item(
        reading, *conditions, join(space_path, "Conditions"),
        [&](const Json& item, const std::string& path) { read_condition(reading, item, path); });
}

void read_language(Reading& reading, const Json& kernel) {
  const auto* language =
      reading.reader.required(kernel, "KernelSpecification", "Language", "\"OpenCL\"");
  if (language != nullptr && !(language->is(Json::Kind::string) && language->text == "OpenCL"))
    reading.unsupported(*language, "KernelSpecification.Language",
                        "\"OpenCL\", the only language that Kiln tunes");
}

std::string read_word(Reading& reading, const Json& kernel, std::string_view key,
                      std::string_view what) {
  const auto* value = reading.reader.required(kernel, "KernelSpecification", key, what);
  if (value == nullptr) return "";
  const auto path = join("KernelSpecification", key);
  const auto text = reading.reader.read_string(*value, path, what);
  if (text && text->empty()) reading.reader.expected(*value, path, what);
  return text.value_or("");
}

void read_options(Reading& reading, const Json& kernel) {
  const auto* options = Reader::optional(kernel, "CompilerOptions");
  if (options == nullptr) return;
  if (!options->is(Json::Kind::list)) {
    reading.reader.expected(*options, "KernelSpecification.CompilerOptions", "a list of texts");
    return;
  }
  for (std::size_t i = 0; i < options->items.size(); ++i) {
    const auto text = reading.reader.read_string(
        options->items[i], join("KernelSpecification.CompilerOptions", i), "a text");
    if (text && !text->empty()) reading.problem.compiler_options.push_back(*text);
  }
}

void read_kernel(Reading& reading, const Json& kernel) {
  Spec& spec = reading.problem.spec;
  spec.name = read_word(reading, kernel, "KernelName", "the kernel function's name");
  spec.src = read_word(reading, kernel, "KernelFile", "the source file's name");
  read_options(reading, kernel);
  read_problem_size(reading, kernel);
  read_geometry(reading, kernel);
  read_arguments(reading, kernel);
  read_references(reading, kernel);
}

/// Every parameter is a macro of its name, so that the kernel has it whatever its value comes from.
void declare_parameters(T1Problem& problem) {
  for (const auto& parameter : problem.parameters)
    problem.spec.macros.push_back({parameter.name, parameter.name, 0});
}

void read_root(Reading& reading, const Json& root) {
  const auto* kernel = reading.reader.required(root, "", "KernelSpecification", "an object");
  const bool has_kernel = kernel != nullptr && kernel->is(Json::Kind::object);
  if (kernel != nullptr && !has_kernel)
    reading.reader.expected(*kernel, "KernelSpecification", "an object");
  // In another language much else may be unknown here: that is what must be said of it.
  if (has_kernel) read_language(reading, *kernel);
  read_configuration_space(reading, root);
  if (has_kernel) read_kernel(reading, *kernel);
}

const Message* first_t1_error(const std::vector<Message>& messages) {
  for (const auto& message : messages)
    if (message.severity == Message::Severity::error) return &message;
  return nullptr;
}

}  // namespace
}  // namespace kiln::spec::t1

namespace kiln::spec {

bool is_t1(std::string_view text) {
  const auto document = parse_json(text);
  return document.root && document.root->is(Json::Kind::object) &&
         (document.root->find("ConfigurationSpace") != nullptr ||
          document.root->find("KernelSpecification") != nullptr);
}

Expected<T1Problem> read_t1(std::string_view text, const std::string& file) {
  const auto document = parse_json(text);
  Reader reader(text, file);
  if (!document.root || !document.root->is(Json::Kind::object))
    return fail(Errc::bad_input, file + ": not a JSON object, expected a tuning problem");
  T1Problem problem;
  problem.spec.file = file;
  t1::Reading reading{reader, problem, expr::Value(expr::List{}), false};
  t1::read_root(reading, *document.root);
  // As it was found, not by line: what decides whether anything else makes sense comes first.
  if (const auto* error = t1::first_t1_error(reader.messages()))
    return fail(reading.is_unsupported ? Errc::unsupported : Errc::bad_input, error->render());
  t1::declare_parameters(problem);
  return problem;
}

void set_untuned_values(T1Problem& problem, const std::vector<std::int64_t>& values) {
  auto& variables = problem.spec.symbolic_variables;
  if (!variables) variables.emplace();
  for (std::size_t i = 0; i < values.size(); ++i)
    variables->emplace_back(problem.parameters[i].name,
                            Formula{std::to_string(values[i]), std::nullopt, expr::Value(values[i]),
                                    0, problem.parameters[i].name});
}

}  // namespace kiln::spec
