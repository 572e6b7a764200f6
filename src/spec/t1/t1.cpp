#include <algorithm>
#include <memory>

#include "base/expected.hpp"
#include "spec/t1/reading.hpp"

// Reads the whole of a tuning problem: first its parameters with their values and conditions, then
// the kernel, whose sizes are read in geometry.cpp and whose arguments in arguments.cpp.
namespace kiln::spec::t1 {
namespace {

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

}  // namespace

void Node::error(std::string text, Errc code) const {
  in.reader.error(json.at, path, std::move(text));
  throw Error(code, in.reader.messages().back().render());
}

void Node::expected(std::string_view what, Errc code) const {
  in.reader.expected(json, path, what);
  throw Error(code, in.reader.messages().back().render());
}

void Node::missing(std::string_view key, std::string_view what) const {
  Node{in, json, join(path, key)}.error("missing, expected " + std::string(what));
}

// null does not count as absent here: "found null" tells more than "missing".
Node Node::member(std::string_view key, std::string_view what) const {
  const auto* found = json.find(key);
  if (found == nullptr) missing(key, what);
  return {in, found->value, join(path, key)};
}

std::optional<Node> Node::optional(std::string_view key) const {
  const auto* found = Reader::optional(json, key);
  if (found == nullptr) return std::nullopt;
  return Node{in, *found, join(path, key)};
}

const Node& Node::object(std::string_view what) const {
  if (!is(Json::Kind::object)) expected(what);
  return *this;
}

std::string Node::text(std::string_view what) const {
  if (!is(Json::Kind::string)) expected(what);
  return json.text;
}

std::int64_t Node::integer(std::int64_t least, std::int64_t most, std::string_view what) const {
  if (!is(Json::Kind::integer) || json.integer < least || json.integer > most) expected(what);
  return json.integer;
}

std::vector<Node> Node::items(std::string_view what, std::size_t most) const {
  if (!is(Json::Kind::list) || json.items.size() > most) expected(what);
  std::vector<Node> all;
  for (std::size_t i = 0; i < json.items.size(); ++i)
    all.push_back({in, json.items[i], join(path, i)});
  return all;
}

expr::Value Node::literal(Reader::Shape shape) const {
  const auto formula = in.reader.read_formula(json, path, shape);
  if (!formula) throw Error(Errc::bad_input, in.reader.messages().back().render());
  return formula->literal;
}

namespace {

/// Values as most files have them, a text "[16, 32]", or as a list.
expr::List read_values(const Node& node) {
  expr::Value found;
  if (node.is(Json::Kind::string)) {
    const auto expression = expr::Expression::parse(node.json.text, expr::Dialect::python3);
    const auto result =
        expression ? expression->evaluate(values_scope()) : tl::unexpected(expression.error());
    if (!result)
      node.error("found " + quote(node.json.text) +
                 ", expected a list of values: " + result.error().message());
    found = *result;
  } else if (node.is(Json::Kind::list)) {
    found = node.literal(Reader::Shape::number_or_list);
  }
  if (!found.is_list() || std::get<expr::List>(found.data()).empty())
    node.expected("a list of values, as \"[16, 32]\"");
  return std::get<expr::List>(found.data());
}

bool is_known_type(std::string_view type) {
  constexpr std::string_view known[] = {"int", "uint", "bool", "float", "string", "UnsignedInt"};
  return std::find(std::begin(known), std::end(known), type) != std::end(known);
}

void read_default(const Node& object, const std::string& name) {
  auto value = object.optional("Default");
  if (!value) return;
  // Published files have it in a list now and then.
  const Json& json = value->is(Json::Kind::list) && value->json.items.size() == 1
                         ? value->json.items.front()
                         : value->json;
  if (json.is(Json::Kind::integer))
    object.in.problem.defaults[name] = json.integer;
  else if (json.is(Json::Kind::boolean))
    object.in.problem.defaults[name] = json.boolean ? 1 : 0;
  else
    Node{object.in, json, value->path}.expected("an integer");
}

void read_parameter(const Node& object) {
  object.object();
  const auto name = object.member("Name", "a name"), type = object.member("Type", "a type"),
             values = object.member("Values", "a list of values");
  if (!name.is(Json::Kind::string) || !tune::is_parameter_name(name.json.text) ||
      name.json.text == problem_size_name)
    name.expected("a name as macros have it");
  if (!type.is(Json::Kind::string) || !is_known_type(type.json.text))
    type.expected("\"int\", \"uint\", \"bool\", \"float\" or \"string\"");
  tune::Parameter parameter{name.json.text, {}};
  for (const auto& value : read_values(values)) {
    // A boolean is an integer in C, too.
    if (!value.is_integer())
      values.expected("integers, which alone can be kept on record (it has the value " +
                          value.text().substr(0, 40) + ")",
                      Errc::unsupported);
    parameter.values.emplace_back(*value.to_integer());
  }
  object.in.problem.parameters.push_back(std::move(parameter));
  read_default(object, name.json.text);
}

void read_condition(const Node& object) {
  const auto expression = object.object().member("Expression", "a condition");
  auto& problem = object.in.problem;
  auto constraint =
      tune::parse_constraint(expression.text("a condition in a text"), problem.parameters);
  if (!constraint) expression.error(constraint.error().message());
  problem.constraints.push_back(*std::move(constraint));
}

void read_configuration_space(const Node& root) {
  constexpr std::string_view list = "a list of objects";
  const auto space = root.member("ConfigurationSpace", "an object");
  const auto parameters = space.object().member("TuningParameters", "a list of parameters");
  for (const auto& item : parameters.items(list)) read_parameter(item);
  if (const auto conditions = space.optional("Conditions"))
    for (const auto& item : conditions->items(list)) read_condition(item);
}

std::string read_word(const Node& kernel, std::string_view key, std::string_view what) {
  const auto value = kernel.member(key, what);
  if (value.text(what).empty()) value.expected(what);
  return value.json.text;
}

void read_kernel(const Node& kernel) {
  const auto& [spec, options] =
      std::tie(kernel.in.problem.spec, kernel.in.problem.compiler_options);
  spec.name = read_word(kernel, "KernelName", "the kernel function's name");
  spec.src = read_word(kernel, "KernelFile", "the source file's name");
  if (const auto given = kernel.optional("CompilerOptions"))
    for (const auto& item : given->items("a list of texts"))
      if (const auto text = item.text("a text"); !text.empty()) options.push_back(text);
  read_problem_size(kernel);
  read_geometry(kernel);
  read_arguments(kernel);
  read_references(kernel);
}

void read_root(const Node& root) {
  const auto kernel = root.member("KernelSpecification", "an object");
  kernel.object();
  // In another language much else may be unknown here: that is what must be said of it.
  const auto language = kernel.member("Language", "\"OpenCL\"");
  if (!language.is(Json::Kind::string) || language.json.text != "OpenCL")
    language.expected("\"OpenCL\", the only language that Kiln tunes", Errc::unsupported);
  read_configuration_space(root);
  read_kernel(kernel);
  // Every parameter is a macro of its name, so that the kernel has it whatever its value comes
  // from.
  T1Problem& problem = root.in.problem;
  for (const auto& parameter : problem.parameters)
    problem.spec.macros.push_back({parameter.name, parameter.name, 0});
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
  t1::Reading reading{reader, problem, expr::Value(expr::List{})};
  return expected_from([&] {
    t1::read_root({reading, *document.root, ""});
    return std::move(problem);
  });
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
