#include "spec/tune/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "spec/read/names.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/record.hpp"
#include "spec/tune/tuned_binding.hpp"

// Reads a specification file or a tuning problem, its parameters and its source, and checks that
// they belong together.
namespace kiln::spec {
namespace {

/// Configurations that are tried for one that can be bound, where the file cannot be without.
constexpr tune::ConfigurationId most_tries = 10'000;

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
                          const ExpandedSource& source) {
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
                    fmt::format("parameter '{}': found the value {}, expected integers, which "
                                "alone can be kept on record (0 and 1 for no and yes)",
                                parameter->name, one_line(value.text())));
    parameters.push_back(*std::move(parameter));
  }
  return parameters;
}

/// `constraints` are those of the file.
Expected<tune::SearchSpace> build_space(std::vector<tune::Parameter> parameters,
                                        std::vector<tune::Constraint> constraints,
                                        const std::vector<std::string>& more) {
  for (const auto& text : more) {
    auto constraint = tune::parse_constraint(text, parameters);
    if (!constraint) return tl::unexpected(constraint.error());
    constraints.push_back(*std::move(constraint));
  }
  return tune::SearchSpace::build(std::move(parameters), std::move(constraints));
}

/// What is tuned: a kernel, and its space.
struct Kernel {
  T1Problem file;  ///< of a specification file the spec alone
  tune::SearchSpace space;
  std::string untuned_run = "without parameters";
};

Expected<Kernel> read_spec_file(const SpecTuning& options) {
  auto spec = load_spec(options.file, options.dialect);
  if (!spec) return tl::unexpected(spec.error());
  if (options.parameters.empty())
    return fail(Errc::bad_input, options.file.string() +
                                     ": nothing to search; expected --param NAME=VALUES, as "
                                     "--param TS=8,16,32");
  auto parameters = read_parameters(options.parameters);
  if (!parameters) return tl::unexpected(parameters.error());
  auto space = build_space(*std::move(parameters), {}, options.constraints);
  if (!space) return tl::unexpected(space.error());
  T1Problem file;
  file.spec = *std::move(spec);
  return Kernel{std::move(file), *std::move(space)};
}

/// The configuration that the defaults are, or the first one: what it writes is right.
tune::ConfigurationId untuned_configuration(const T1Problem& file, const tune::SearchSpace& space) {
  tune::Positions positions;
  for (const auto& parameter : file.parameters) {
    const auto given = file.defaults.find(parameter.name);
    if (given == file.defaults.end()) return 0;
    const auto at = tune::position_of(parameter, given->second);
    if (at == parameter.values.size()) return 0;
    positions.push_back(static_cast<std::uint16_t>(at));
  }
  return space.find(positions).value_or(0);
}

Expected<Kernel> read_t1_file(std::string_view text, const SpecTuning& options) {
  const auto file_name = options.file.string();
  if (!options.parameters.empty())
    return fail(Errc::bad_input, fmt::format("--param {}: {} is a tuning problem, whose parameters "
                                             "are its own; expected no --param",
                                             one_line(options.parameters.front()), file_name));
  auto file = read_t1(text, file_name);
  if (!file) return tl::unexpected(file.error());
  auto space = build_space(file->parameters, file->constraints, options.constraints);
  if (!space) return fail(space.error().code(), file_name + ": " + space.error().message());
  const auto untuned = untuned_configuration(*file, *space);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < file->parameters.size(); ++i)
    values.push_back(std::get<std::int64_t>(space->value(untuned, i).data()));
  set_untuned_values(*file, values);
  auto untuned_run = "with " + space->text(untuned);
  return Kernel{*std::move(file), *std::move(space), std::move(untuned_run)};
}

/// The file's members tell a tuning problem from a specification.
Expected<Kernel> read_kernel(const SpecTuning& options) {
  constexpr std::uint64_t most_bytes = 64u << 20;
  const auto text = read_text(options.file, most_bytes);
  return text && is_t1(*text) ? read_t1_file(*text, options) : read_spec_file(options);
}

Expected<void> bind_base(TuningProblem& problem) {
  auto untuned = bind(problem.spec, problem.symbols);
  if (untuned)
    untuned->options.insert(untuned->options.end(), problem.compiler_options.begin(),
                            problem.compiler_options.end());
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
                  fmt::format("--expect: missing file for argument {}, expected one for each "
                              "argument that the kernel writes",
                              argument.position));
  }
  if (writes) return {};
  return fail(Errc::bad_input,
              problem.spec.file + ": the kernel has no output buffer: results cannot be checked");
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += fmt::format(", {} {}", name, value);
  return text;
}

double relative_bound(const TuningProblem& problem) {
  if (problem.options.rtol) return *problem.options.rtol;
  // What the community's tuners take where a file says nothing.
  constexpr double usual = 1e-4;
  if (!problem.fills.empty()) return usual;
  return problem.options.expect.empty() ? 0 : 1e-5;
}

/// How a tuning problem's arrays begin and must end, as far as it changes what is measured.
Expected<std::string> text_of(const Fill& fill) {
  std::string text =
      fmt::format(", fill {} {} {}", fill.position, static_cast<int>(fill.how), fill.value.text());
  if (fill.seed) text += fmt::format(" seed {}", *fill.seed);
  if (fill.generator) text += " " + fill.generator->canonical();
  if (fill.how != Fill::How::file) return text;
  const auto bytes = read_file(fill.file, 1ull << 41);
  if (!bytes) return fail(bytes.error().code(), fill.place + ": " + bytes.error().message());
  return text + " " + blake2b(*bytes).hex();
}

/// Results are comparable where kernel, sizes, data and the bound on errors are the same.
Expected<std::string> identity_of(const TuningProblem& problem, const Parameters& symbols) {
  const auto& options = problem.options;
  std::string text = fmt::format("spec 1 {}{}, {} bytes, seed {}, rtol {}",
                                 problem.request().problem_class, text_of(symbols),
                                 problem_size(problem.base), options.seed, relative_bound(problem));
  for (const auto* files : {&options.inputs, &options.expect})
    for (const auto& [position, file] : *files) {
      const auto bytes = read_file(file, 1ull << 41);
      if (!bytes) return tl::unexpected(bytes.error());
      text += fmt::format(", {} {} {}", files == &options.inputs ? "in" : "expect", position,
                          blake2b(*bytes).hex());
    }
  for (const auto& fill : problem.fills) {
    const auto more = text_of(fill);
    if (!more) return more;
    text += *more;
  }
  for (const auto& reference : problem.references) {
    const auto more = text_of(reference.fill);
    if (!more) return more;
    text += fmt::format("{} within {} {}", *more, reference.relative, reference.absolute);
  }
  return text;
}

}  // namespace

std::optional<TuningProblem::Tolerance> TuningProblem::tolerance(std::uint32_t position) const {
  const Tolerance usual{relative_bound(*this), 0};
  if (references.empty() || !options.expect.empty()) return usual;
  for (const auto& reference : references) {
    if (reference.fill.position != position) continue;
    if (options.rtol) return usual;
    return Tolerance{reference.relative, reference.absolute};
  }
  return std::nullopt;
}

Request TuningProblem::request() const {
  Request request = record_request(spec, *source);
  for (const auto& option : compiler_options)
    request.problem_class += fmt::format(" {}", one_line(option));
  return request;
}

Parameters TuningProblem::parameters(tune::ConfigurationId id) const {
  Parameters parameters;
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    parameters.set(space.parameters()[i].name, std::get<std::int64_t>(space.value(id, i).data()));
  return parameters;
}

Expected<BoundSpec> TuningProblem::bind(tune::ConfigurationId id) const {
  auto bound = bind_with(spec, symbols, parameters(id));
  if (bound)
    bound->options.insert(bound->options.end(), compiler_options.begin(), compiler_options.end());
  return bound;
}

Expected<TuningProblemPtr> read_tuning_problem(const SpecTuning& options) {
  auto kernel = read_kernel(options);
  if (!kernel) return tl::unexpected(kernel.error());
  auto& file = kernel->file;
  if (is_part_of_graph(file.spec))
    return fail(Errc::unsupported,
                fmt::format("{}: the kernel is part of a graph (depends, task or from); only "
                            "single kernels are tuned",
                            file.spec.file));
  auto source = load_kernel_source(file.spec, options.source_dirs);
  if (!source) return tl::unexpected(source.error());
  if (auto stays = check_source_stays(**source, options.written); !stays)
    return tl::unexpected(stays.error());
  for (const auto& parameter : kernel->space.parameters())
    if (auto right = check_name(parameter.name, options.symbols, file.spec, **source); !right)
      return tl::unexpected(right.error());
  auto problem = std::make_shared<TuningProblem>(TuningProblem{options,
                                                               options.symbols,
                                                               std::move(file.spec),
                                                               *std::move(source),
                                                               std::move(kernel->space),
                                                               {},
                                                               false,
                                                               std::move(kernel->untuned_run),
                                                               {},
                                                               {},
                                                               std::move(file.compiler_options),
                                                               std::move(file.fills),
                                                               std::move(file.references)});
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
