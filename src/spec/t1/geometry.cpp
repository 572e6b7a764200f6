#include <algorithm>

#include "base/data/text.hpp"
#include "spec/t1/reading.hpp"

// Sizes of a tuning problem: expressions over its parameters.
namespace kiln::spec::t1 {
namespace {

constexpr expr::Limits limits = {.text_bytes = 1u << 16, .nodes = 10'000, .steps = 100'000};

std::vector<std::string_view> usual_names(const Reading& reading) {
  std::vector<std::string_view> names;
  for (const auto& parameter : reading.problem.parameters) names.push_back(parameter.name);
  if (!std::get<expr::List>(reading.problem_size.data()).empty())
    names.push_back(problem_size_name);
  return names;
}

/// What an expression uses that is not there; empty where nothing is.
std::string stranger_in(const expr::Expression& expression,
                        const std::vector<std::string_view>& names) {
  for (const auto& name : expression.free_names())
    if (std::find(names.begin(), names.end(), name) == names.end())
      return "nothing is named '" + name + "'" + did_you_mean(name, names);
  const expr::Scope scope;
  for (const auto& function : expression.called_functions())
    if (!scope.has_function(function)) return "there is no function '" + function + "'";
  return "";
}

/// The X, Y and Z of a size, each in brackets.
std::vector<std::string> read_sizes(const Node& kernel, std::string_view key) {
  const auto sizes = kernel.member(key, "an object with X");
  sizes.object("an object with X");
  std::vector<std::string> texts{"(" + read_expression(sizes.member("X", "a size")).text + ")"};
  for (const std::string_view axis : {"Y", "Z"}) {
    const auto size = sizes.optional(axis);
    if (!size) break;
    texts.push_back("(" + read_expression(*size).text + ")");
  }
  return texts;
}

/// What Kernel Tuner divides the problem's size by: "(block_size_x) * (tile_size_x)".
std::string read_divisor(const Node& kernel, std::string_view key) {
  std::string product = "1";
  if (const auto list = kernel.optional(key))
    for (const auto& item : list->items("a list of expressions"))
      product += " * (" + read_expression(item).text + ")";
  return product;
}

constexpr std::string_view divisor_keys[] = {"GridDivX", "GridDivY", "GridDivZ"};

/// Groups in each dimension: as many as cover the problem.
std::vector<std::string> covering_groups(const Node& kernel) {
  const auto dimensions = std::get<expr::List>(kernel.in.problem_size.data()).size();
  std::vector<std::string> groups;
  for (std::size_t d = 0; d < std::min(dimensions, std::size(divisor_keys)); ++d) {
    const auto divisor = "(" + read_divisor(kernel, divisor_keys[d]) + ")";
    groups.push_back("((ProblemSize[" + std::to_string(d) + "] + " + divisor + " - 1) // " +
                     divisor + ")");
  }
  return groups;
}

/// Whether GlobalSize counts work-groups, as CUDA and Vulkan do, and not work-items.
bool counts_groups(const Node& kernel) {
  const auto type = kernel.optional("GlobalSizeType");
  if (!type) return false;
  const std::string& name = type->json.text;
  if (!type->is(Json::Kind::string) || (name != "OpenCL" && name != "CUDA" && name != "Vulkan"))
    type->expected("\"OpenCL\", \"CUDA\" or \"Vulkan\"");
  return name != "OpenCL";
}

Formula list_of(const std::vector<std::string>& sizes, const Node& at, std::string attribute) {
  std::string text = "[";
  for (const auto& size : sizes) text += (text.size() > 1 ? ", " : "") + size;
  text += "]";
  // Of parts that were parsed, so that only their depth together can fail.
  auto expression = expr::Expression::parse(text, expr::Dialect::python3, limits);
  if (!expression) Node{at.in, at.json, attribute}.error(expression.error().message());
  return {text, *std::move(expression), {}, at.line(), std::move(attribute)};
}

}  // namespace

Formula read_expression(const Node& node, const std::vector<std::string_view>* names) {
  const Json& json = node.json;
  if (json.is(Json::Kind::integer))
    return {std::to_string(json.integer), std::nullopt, expr::Value(json.integer), node.line(),
            node.path};
  if (!json.is(Json::Kind::string)) node.expected("an expression in a text, or an integer");
  auto expression = expr::Expression::parse(json.text, expr::Dialect::python3, limits);
  const auto wrong =
      expression ? stranger_in(*expression, names == nullptr ? usual_names(node.in) : *names)
                 : expression.error().message();
  if (!wrong.empty())
    node.error("found " + quote(json.text) + ", expected an expression: " + wrong);
  return {json.text, *std::move(expression), {}, node.line(), node.path};
}

Formula read_fixed_size(const Node& node) {
  auto formula = read_expression(node);
  if (!formula.expression) return formula;
  expr::Scope scope;
  for (const auto& parameter : node.in.problem.parameters)
    scope.set(parameter.name, expr::Value(expr::List(parameter.values)));
  scope.set(std::string(problem_size_name), node.in.problem_size);
  const auto result = formula.expression->evaluate(scope);
  const auto count = result && result->is_number() ? result->to_integer()
                     : result ? Expected<std::int64_t>(fail(Errc::bad_input, "it is a list"))
                              : tl::unexpected(result.error());
  if (!count)
    node.error("found " + quote(node.json.text) +
               ", expected a number of elements (a parameter is the list of its values here, as in "
               "\"max(TS)\"): " +
               count.error().message());
  formula.expression.reset();
  formula.literal = expr::Value(*count);
  return formula;
}

void read_problem_size(const Node& kernel) {
  const auto sizes = kernel.optional(problem_size_name);
  if (!sizes) return;
  constexpr std::string_view what = "a list of 1, 2 or 3 sizes";
  const auto items = sizes->items(what, 3);
  if (items.empty()) sizes->expected(what);
  const std::vector<std::string_view> no_names;
  expr::List list;
  for (const auto& item : items) {
    const auto formula = read_expression(item, &no_names);
    const auto size = formula.expression ? formula.expression->evaluate({})
                                         : Expected<expr::Value>(formula.literal);
    if (!size || !size->is_integer() || *size->to_integer() < 1)
      item.expected("an integer of at least 1");
    list.push_back(*size);
  }
  const auto& [spec, whole] = std::tie(kernel.in.problem.spec, kernel.in.problem_size);
  whole = expr::Value(std::move(list));
  spec.symbolic_variables.emplace();
  spec.symbolic_variables->emplace_back(
      problem_size_name, Formula{whole.text(), std::nullopt, whole, sizes->line(), sizes->path});
}

void read_geometry(const Node& kernel) {
  auto local = read_sizes(kernel, "LocalSize");
  // Kernel Tuner reads no GlobalSize: where a file has its members, its buffers are made for them.
  const auto size = kernel.optional("GlobalSize");
  std::optional<Node> divisor;
  for (const auto key : divisor_keys)
    if (const auto found = kernel.optional(key); found && !divisor) divisor.emplace(*found);
  const bool covers = !std::get<expr::List>(kernel.in.problem_size.data()).empty() && divisor;
  auto global = !covers || size ? read_sizes(kernel, "GlobalSize") : std::vector<std::string>();
  const bool groups = counts_groups(kernel) || covers;
  if (covers) global = covering_groups(kernel);
  const auto dimensions = std::max(local.size(), global.size());
  local.resize(dimensions, "1");
  global.resize(dimensions, "1");
  for (std::size_t d = 0; groups && d < dimensions; ++d) global[d] += " * " + local[d];
  Spec& spec = kernel.in.problem.spec;
  spec.work_dimension = static_cast<int>(dimensions);
  spec.global_work_size = list_of(global, size ? *size : *divisor, join(kernel.path, "GlobalSize"));
  const auto local_size = kernel.member("LocalSize", "an object with X");
  spec.local_work_size = list_of(local, local_size, local_size.path);
}

}  // namespace kiln::spec::t1
