#include <algorithm>

#include "spec/t1/parts.hpp"

namespace kiln::spec {
namespace {

using t1::Reading;

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
  t1::read_problem_size(reading, kernel);
  t1::read_geometry(reading, kernel);
  t1::read_arguments(reading, kernel);
  t1::read_references(reading, kernel);
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
  t1::read_configuration_space(reading, root);
  if (has_kernel) read_kernel(reading, *kernel);
}

const Message* first_t1_error(const std::vector<Message>& messages) {
  for (const auto& message : messages)
    if (message.severity == Message::Severity::error) return &message;
  return nullptr;
}

}  // namespace

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
  Reading reading{reader, problem, expr::Value(expr::List{}), false};
  read_root(reading, *document.root);
  // As it was found, not by line: what decides whether anything else makes sense comes first.
  if (const auto* error = first_t1_error(reader.messages()))
    return fail(reading.is_unsupported ? Errc::unsupported : Errc::bad_input, error->render());
  declare_parameters(problem);
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
