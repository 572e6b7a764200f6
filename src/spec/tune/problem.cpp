#include "spec/tune/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/one_line.hpp"
#include "spec/names.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/bind_with.hpp"
#include "spec/tune/record.hpp"

namespace kiln::spec {
namespace {

/// Configurations that are tried for one that can be bound, where the file cannot be without.
constexpr tune::ConfigurationId most_tries = 10'000;

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a word stands in a text. In a comment, too: this looks for slips of the pen.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !continues_name(text[at - 1])) &&
        (end == text.size() || !continues_name(text[end])))
      return true;
  }
  return false;
}

Expected<void> check_name(const std::string& name, const Symbols& symbols, const Spec& spec,
                          const Source& source) {
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::bad_input, fmt::format("parameter '{}': {}", name, why));
  };
  // They say how large the problem is and who does it, not how.
  if (name == "dataset" || name == "partition")
    return refuse("expected another name: this one is the problem's own");
  if (symbols.set.contains(name) || symbols.set_if.contains(name))
    return refuse("its values are given twice, as a parameter and with --set");
  const auto known = known_symbols(spec);
  const bool is_macro = std::any_of(spec.macros.begin(), spec.macros.end(),
                                    [&](const Macro& macro) { return macro.name == name; });
  if (is_macro || std::binary_search(known.begin(), known.end(), name) ||
      has_word(source.text(), name))
    return {};
  return refuse(fmt::format("neither {} nor {} uses this name", spec.file, source.name()));
}

Expected<std::vector<tune::Parameter>> read_parameters(const std::vector<std::string>& texts) {
  std::vector<tune::Parameter> parameters;
  for (const auto& text : texts) {
    auto parameter = tune::parse_parameter(text);
    if (!parameter) return tl::unexpected(parameter.error());
    for (const auto& value : parameter->values)
      if (!std::holds_alternative<std::int64_t>(value.data()))
        return fail(Errc::bad_input,
                    fmt::format("parameter '{}': found the value {}, expected whole numbers, which "
                                "alone can be kept on record (0 and 1 for no and yes)",
                                parameter->name, one_line(value.text())));
    parameters.push_back(*std::move(parameter));
  }
  return parameters;
}

Expected<tune::SearchSpace> read_space(const SpecTuning& options) {
  auto parameters = read_parameters(options.parameters);
  if (!parameters) return tl::unexpected(parameters.error());
  std::vector<tune::Constraint> constraints;
  for (const auto& text : options.constraints) {
    auto constraint = tune::parse_constraint(text, *parameters);
    if (!constraint) return tl::unexpected(constraint.error());
    constraints.push_back(*std::move(constraint));
  }
  return tune::SearchSpace::build(*std::move(parameters), std::move(constraints));
}

Expected<void> bind_base(TuningProblem& problem) {
  auto untuned = bind(problem.spec, problem.symbols);
  if (untuned) {
    problem.base = *std::move(untuned);
    problem.runs_untuned = true;
    return {};
  }
  if (problem.options.expect.empty())
    return fail(untuned.error().code(),
                untuned.error().message() +
                    " (the file does not run without its parameters, so only files of right "
                    "results can tell which values are right: --expect P=FILE)");
  for (tune::ConfigurationId id = 0; id < std::min(problem.space.size(), most_tries); ++id)
    if (auto bound = problem.bind(id)) {
      problem.base = *std::move(bound);
      return {};
    }
  return fail(
      Errc::bad_input,
      fmt::format("{}: none of the first {} configurations can be bound: {}", problem.spec.file,
                  std::min(problem.space.size(), most_tries), problem.bind(0).error().message()));
}

Expected<void> check_positions(const TuningProblem& problem) {
  const auto& [base, options] = std::tie(problem.base, problem.options);
  for (const auto& [position, file] : options.inputs) {
    const auto argument = buffer_argument(base, position, "--in");
    if (!argument) return tl::unexpected(argument.error());
  }
  for (const auto& [position, file] : options.expect) {
    const auto argument = buffer_argument(base, position, "--expect");
    if (!argument) return tl::unexpected(argument.error());
    if (!is_written(**argument))
      return fail(Errc::bad_input,
                  fmt::format("--expect {}: the file calls this argument an input", position));
  }
  bool writes = false;
  for (const auto& argument : base.arguments) {
    writes |= is_written(argument);
    if (options.expect.empty() || !is_written(argument)) continue;
    if (!options.expect.contains(argument.position))
      return fail(Errc::bad_input,
                  fmt::format("--expect: found no file for argument {}, expected one for each "
                              "argument that the kernel writes",
                              argument.position));
  }
  if (writes) return {};
  return fail(
      Errc::bad_input,
      problem.spec.file + ": found no output, expected one: nothing tells right from wrong");
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += fmt::format(", {} {}", name, value);
  return text;
}

/// Results are comparable where kernel, sizes, data and the bound on errors are the same.
Expected<std::string> identity_of(const TuningProblem& problem, const Parameters& symbols) {
  const auto& options = problem.options;
  std::string text =
      fmt::format("spec 1 {}{}, {} bytes, seed {}, rtol {}",
                  record_request(problem.spec, *problem.source).problem_class, text_of(symbols),
                  problem_size(problem.base), options.seed, problem.rtol());
  for (const auto* files : {&options.inputs, &options.expect})
    for (const auto& [position, file] : *files) {
      const auto bytes = read_file(file, 1ull << 41);
      if (!bytes) return tl::unexpected(bytes.error());
      text += fmt::format(", {} {} {}", files == &options.inputs ? "in" : "expect", position,
                          blake2b(*bytes).hex());
    }
  return text;
}

}  // namespace

Parameters TuningProblem::parameters(tune::ConfigurationId id) const {
  Parameters parameters;
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    parameters.set(space.parameters()[i].name, std::get<std::int64_t>(space.value(id, i).data()));
  return parameters;
}

Expected<BoundSpec> TuningProblem::bind(tune::ConfigurationId id) const {
  return bind_with(spec, symbols, parameters(id));
}

Expected<TuningProblemPtr> read_tuning_problem(const SpecTuning& options) {
  auto spec = load_spec(options.file, options.dialect);
  if (!spec) return tl::unexpected(spec.error());
  if (is_part_of_graph(*spec))
    return fail(Errc::unsupported,
                fmt::format("{}: the kernel is part of a graph (depends, task or from); only "
                            "single kernels are tuned",
                            spec->file));
  auto source = load_kernel_source(*spec, options.source_dirs);
  if (!source) return tl::unexpected(source.error());
  auto space = read_space(options);
  if (!space) return tl::unexpected(space.error());
  for (const auto& parameter : space->parameters())
    if (auto right = check_name(parameter.name, options.symbols, *spec, **source); !right)
      return tl::unexpected(right.error());
  auto problem = std::make_shared<TuningProblem>(TuningProblem{options,
                                                               options.symbols,
                                                               *std::move(spec),
                                                               *std::move(source),
                                                               *std::move(space),
                                                               {},
                                                               false,
                                                               {},
                                                               {}});
  if (options.dataset > 0)
    problem->symbols.set_if.insert_or_assign("dataset", expr::Value(options.dataset));
  if (auto bound = bind_base(*problem); !bound) return tl::unexpected(bound.error());
  if (auto right = check_positions(*problem); !right) return tl::unexpected(right.error());
  const auto symbols = problem_symbols(problem->spec, problem->base, problem->parameters(0));
  auto identity = identity_of(*problem, symbols);
  if (!identity) return tl::unexpected(identity.error());
  problem->identity = *std::move(identity);
  problem->label = problem->spec.name + text_of(symbols);
  return problem;
}

}  // namespace kiln::spec
