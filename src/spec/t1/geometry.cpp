#include <algorithm>

#include "base/data/text.hpp"
#include "spec/t1/reading.hpp"

// Sizes of a tuning problem: expressions over its parameters.
namespace kiln::spec::t1 {
namespace {

constexpr std::string_view kernel_path = "KernelSpecification";
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
std::vector<std::string> read_sizes(Reading& reading, const Json& kernel, std::string_view key) {
  const auto path = join(kernel_path, key);
  const auto* sizes = reading.reader.required(kernel, kernel_path, key, "an object with X");
  if (sizes == nullptr) return {};
  if (!sizes->is(Json::Kind::object)) {
    reading.reader.expected(*sizes, path, "an object with X");
    return {};
  }
  std::vector<std::string> texts;
  for (const std::string_view axis : {"X", "Y", "Z"}) {
    const auto* size = axis == "X" ? reading.reader.required(*sizes, path, axis, "a size")
                                   : Reader::optional(*sizes, axis);
    if (size == nullptr) break;
    const auto formula = read_expression(reading, *size, join(path, axis));
    if (!formula) return {};
    texts.push_back("(" + formula->text + ")");
  }
  return texts;
}

/// What Kernel Tuner divides the problem's size by: "(block_size_x) * (tile_size_x)".
std::string read_divisor(Reading& reading, const Json& kernel, std::string_view key) {
  const auto* list = Reader::optional(kernel, key);
  if (list == nullptr) return "1";
  const auto path = join(kernel_path, key);
  if (!list->is(Json::Kind::list)) {
    reading.reader.expected(*list, path, "a list of expressions");
    return "1";
  }
  std::string product = "1";
  for (std::size_t i = 0; i < list->items.size(); ++i)
    if (const auto formula = read_expression(reading, list->items[i], join(path, i)))
      product += " * (" + formula->text + ")";
  return product;
}

/// Groups in each dimension: as many as cover the problem.
std::vector<std::string> covering_groups(Reading& reading, const Json& kernel) {
  const auto dimensions = std::get<expr::List>(reading.problem_size.data()).size();
  constexpr std::string_view keys[] = {"GridDivX", "GridDivY", "GridDivZ"};
  std::vector<std::string> groups;
  for (std::size_t d = 0; d < std::min(dimensions, std::size(keys)); ++d) {
    const auto divisor = "(" + read_divisor(reading, kernel, keys[d]) + ")";
    groups.push_back("((ProblemSize[" + std::to_string(d) + "] + " + divisor + " - 1) // " +
                     divisor + ")");
  }
  return groups;
}

/// Whether GlobalSize counts work-groups, as CUDA and Vulkan do, and not work-items.
bool counts_groups(Reading& reading, const Json& kernel) {
  const auto* type = Reader::optional(kernel, "GlobalSizeType");
  if (type == nullptr) return false;
  if (type->is(Json::Kind::string)) {
    if (type->text == "OpenCL") return false;
    if (type->text == "CUDA" || type->text == "Vulkan") return true;
  }
  reading.reader.expected(*type, join(kernel_path, "GlobalSizeType"),
                          "\"OpenCL\", \"CUDA\" or \"Vulkan\"");
  return false;
}

Formula list_of(const std::vector<std::string>& sizes, const Json& at, const Reading& reading,
                std::string_view key) {
  std::string text = "[";
  for (const auto& size : sizes) text += (text.size() > 1 ? ", " : "") + size;
  text += "]";
  // Of parts that were parsed, so that only their depth together can fail.
  auto expression = expr::Expression::parse(text, expr::Dialect::python3, limits);
  Formula formula{text, std::nullopt, {}, reading.reader.line(at.at), join(kernel_path, key)};
  if (expression)
    formula.expression = *std::move(expression);
  else
    reading.reader.error(at.at, formula.attribute, expression.error().message());
  return formula;
}

}  // namespace

std::optional<Formula> read_expression(Reading& reading, const Json& value, std::string attribute,
                                       const std::vector<std::string_view>* names) {
  if (value.is(Json::Kind::integer))
    return Formula{std::to_string(value.integer), std::nullopt, expr::Value(value.integer),
                   reading.reader.line(value.at), std::move(attribute)};
  if (!value.is(Json::Kind::string)) {
    reading.reader.expected(value, std::move(attribute), "an expression in a text, or an integer");
    return std::nullopt;
  }
  auto expression = expr::Expression::parse(value.text, expr::Dialect::python3, limits);
  const auto wrong =
      expression ? stranger_in(*expression, names == nullptr ? usual_names(reading) : *names)
                 : expression.error().message();
  if (!wrong.empty()) {
    reading.reader.error(value.at, std::move(attribute),
                         "found " + quote(value.text) + ", expected an expression: " + wrong);
    return std::nullopt;
  }
  return Formula{
      value.text, *std::move(expression), {}, reading.reader.line(value.at), std::move(attribute)};
}

std::optional<Formula> read_fixed_size(Reading& reading, const Json& value, std::string attribute) {
  auto formula = read_expression(reading, value, attribute);
  if (!formula || !formula->expression) return formula;
  expr::Scope scope;
  for (const auto& parameter : reading.problem.parameters)
    scope.set(parameter.name, expr::Value(expr::List(parameter.values)));
  scope.set(std::string(problem_size_name), reading.problem_size);
  const auto result = formula->expression->evaluate(scope);
  const auto count = result && result->is_number() ? result->to_integer()
                     : result ? Expected<std::int64_t>(fail(Errc::bad_input, "it is a list"))
                              : tl::unexpected(result.error());
  if (!count) {
    reading.reader.error(value.at, std::move(attribute),
                         "found " + quote(value.text) +
                             ", expected a number of elements (a parameter is the list of its "
                             "values here, as in \"max(TS)\"): " +
                             count.error().message());
    return std::nullopt;
  }
  formula->expression.reset();
  formula->literal = expr::Value(*count);
  return formula;
}

void read_problem_size(Reading& reading, const Json& kernel) {
  const auto* sizes = Reader::optional(kernel, problem_size_name);
  if (sizes == nullptr) return;
  const auto path = join(kernel_path, problem_size_name);
  if (!sizes->is(Json::Kind::list) || sizes->items.empty() || sizes->items.size() > 3)
    return reading.reader.expected(*sizes, path, "a list of 1, 2 or 3 sizes");
  const std::vector<std::string_view> no_names;
  expr::List list;
  for (std::size_t i = 0; i < sizes->items.size(); ++i) {
    const auto formula = read_expression(reading, sizes->items[i], join(path, i), &no_names);
    if (!formula) return;
    const auto size = formula->expression ? formula->expression->evaluate({})
                                          : Expected<expr::Value>(formula->literal);
    if (!size || !size->is_integer() || *size->to_integer() < 1)
      return reading.reader.expected(sizes->items[i], join(path, i), "an integer of at least 1");
    list.push_back(*size);
  }
  reading.problem_size = expr::Value(std::move(list));
  auto& variables = reading.problem.spec.symbolic_variables;
  variables.emplace();
  variables->emplace_back(problem_size_name,
                          Formula{reading.problem_size.text(), std::nullopt, reading.problem_size,
                                  reading.reader.line(sizes->at), path});
}

void read_geometry(Reading& reading, const Json& kernel) {
  auto local = read_sizes(reading, kernel, "LocalSize");
  // Kernel Tuner reads no GlobalSize: where a file has its members, its buffers are made for them.
  const Json* divisors = nullptr;
  for (const auto key : {"GridDivX", "GridDivY", "GridDivZ"})
    if (divisors == nullptr) divisors = Reader::optional(kernel, key);
  const bool covers =
      !std::get<expr::List>(reading.problem_size.data()).empty() && divisors != nullptr;
  const Json* size = Reader::optional(kernel, "GlobalSize");
  const bool is_needed = !covers || size != nullptr;
  auto global = is_needed ? read_sizes(reading, kernel, "GlobalSize") : std::vector<std::string>();
  if (local.empty() || (is_needed && global.empty())) return;
  bool groups = counts_groups(reading, kernel);
  if (covers) {
    global = covering_groups(reading, kernel);
    groups = true;
  }
  const auto dimensions = std::max(local.size(), global.size());
  local.resize(dimensions, "1");
  global.resize(dimensions, "1");
  for (std::size_t d = 0; groups && d < dimensions; ++d) global[d] += " * " + local[d];
  Spec& spec = reading.problem.spec;
  spec.work_dimension = static_cast<int>(dimensions);
  spec.global_work_size =
      list_of(global, size != nullptr ? *size : *divisors, reading, "GlobalSize");
  spec.local_work_size = list_of(local, kernel.find("LocalSize")->value, reading, "LocalSize");
}

}  // namespace kiln::spec::t1
