#include <fmt/format.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "spec/read/names.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/spec_tunable.hpp"
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

[[noreturn]] void refuse(const std::string& why) { throw Error(Errc::bad_input, why); }

void check_name(const std::string& name, const TuningProblem& problem) {
  const auto wrong = [&](const std::string& why) {
    refuse(fmt::format("parameter '{}': {}", name, why));
  };
  const auto& [spec, symbols] = std::tie(problem.spec, problem.options.symbols);
  // They say how large the problem is and who does it, not how.
  if (name == "dataset" || name == "partition")
    wrong("expected another name: this one is the problem's own");
  if (symbols.set.contains(name) || symbols.set_if.contains(name))
    wrong("its values are given twice, as a parameter and with --set");
  const auto known = known_symbols(spec);
  const bool is_macro = std::any_of(spec.macros.begin(), spec.macros.end(),
                                    [&](const Macro& macro) { return macro.name == name; });
  if (!is_macro && !std::binary_search(known.begin(), known.end(), name) &&
      !has_word(problem.source->text(), name))
    wrong(fmt::format("neither {} nor {} uses this name", spec.file, problem.source->name()));
}

tune::Parameter read_parameter(const std::string& text) {
  auto parameter = value_or_throw(tune::parse_parameter(text));
  for (const auto& value : parameter.values)
    if (!std::holds_alternative<std::int64_t>(value.data()))
      refuse(
          fmt::format("parameter '{}': found the value {}, expected integers, which alone can be "
                      "kept on record (0 and 1 for no and yes)",
                      parameter.name, one_line(value.text())));
  return parameter;
}

/// `constraints` are those of the file; the user's are added.
tune::SearchSpace build_space(std::vector<tune::Parameter> parameters,
                              std::vector<tune::Constraint> constraints,
                              const SpecTuning& options) {
  for (const auto& text : options.constraints)
    constraints.push_back(value_or_throw(tune::parse_constraint(text, parameters)));
  return value_or_throw(tune::SearchSpace::build(std::move(parameters), constraints));
}

void read_spec_file(TuningProblem& problem) {
  const auto& options = problem.options;
  problem.spec = value_or_throw(load_spec(options.file, options.dialect));
  if (options.parameters.empty())
    refuse(options.file.string() +
           ": nothing to search; expected --param NAME=VALUES, as --param TS=8,16,32");
  std::vector<tune::Parameter> parameters;
  for (const auto& text : options.parameters) parameters.push_back(read_parameter(text));
  problem.space = build_space(std::move(parameters), {}, options);
}

void read_t1_file(std::string_view text, TuningProblem& problem) {
  const auto& options = problem.options;
  const auto name = options.file.string();
  if (!options.parameters.empty())
    refuse(
        fmt::format("--param {}: {} is a tuning problem, whose parameters are its own; expected no "
                    "--param",
                    one_line(options.parameters.front()), name));
  auto file = value_or_throw(read_t1(text, name));
  try {
    problem.space = build_space(file.parameters, file.constraints, options);
  } catch (const Error& error) {
    throw Error(error.code(), name + ": " + error.message());
  }
  // The configuration that the defaults are, or the first one: what it writes is right.
  Parameters defaults;
  for (const auto& [parameter, value] : file.defaults) defaults.set(parameter, value);
  const auto untuned = tune::configuration_of(problem.space, defaults).value_or(0);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < file.parameters.size(); ++i)
    values.push_back(*problem.space.value(untuned, i).to_integer());
  set_untuned_values(file, values);
  problem.untuned_run = "with " + problem.space.text(untuned);
  problem.spec = std::move(file.spec);
  problem.compiler_options = std::move(file.compiler_options);
  problem.fills = std::move(file.fills);
  problem.references = std::move(file.references);
}

/// With what a tuning problem compiles with.
Expected<BoundSpec> with_options(Expected<BoundSpec> bound, const TuningProblem& problem) {
  const auto& more = problem.compiler_options;
  if (bound) bound->options.insert(bound->options.end(), more.begin(), more.end());
  return bound;
}

void bind_base(TuningProblem& problem) {
  auto untuned = with_options(bind(problem.spec, problem.symbols), problem);
  problem.runs_untuned = untuned.has_value();
  if (untuned) {
    problem.base = *std::move(untuned);
    return;
  }
  if (problem.options.expect.empty())
    throw Error(untuned.error().code(),
                untuned.error().message() +
                    " (the file does not run without its parameters, so only files of right "
                    "results can tell which values are right: --expect P=FILE)");
  const auto tries = std::min(problem.space.size(), most_tries);
  for (tune::ConfigurationId id = 0; id < tries; ++id)
    if (auto bound = problem.bind(id)) {
      problem.base = *std::move(bound);
      return;
    }
  refuse(fmt::format("{}: none of the first {} configurations can be bound: {}", problem.spec.file,
                     tries, problem.bind(0).error().message()));
}

void check_positions(const TuningProblem& problem) {
  const auto& [base, options] = std::tie(problem.base, problem.options);
  for (const auto& [position, file] : options.inputs)
    value_or_throw(buffer_argument(base, position, "--in"));
  for (const auto& [position, file] : options.expect)
    if (!is_written(*value_or_throw(buffer_argument(base, position, "--expect"))))
      refuse(fmt::format("--expect {}: the file calls this argument an input", position));
  bool writes = false;
  for (const auto& argument : base.arguments) {
    writes |= is_written(argument);
    if (is_written(argument) && !options.expect.empty() &&
        !options.expect.contains(argument.position))
      refuse(
          fmt::format("--expect: missing file for argument {}, expected one for each argument that "
                      "the kernel writes",
                      argument.position));
  }
  if (!writes)
    refuse(problem.spec.file + ": the kernel has no output buffer: results cannot be checked");
}

/// ", n 64", or nothing.
std::string behind_comma(const Parameters& symbols) {
  return symbols.empty() ? "" : ", " + text_of_values(symbols);
}

double relative_bound(const TuningProblem& problem) {
  if (problem.options.rtol) return *problem.options.rtol;
  // What the community's tuners take where a file says nothing.
  constexpr double usual = 1e-4;
  if (!problem.fills.empty()) return usual;
  return problem.options.expect.empty() ? 0 : 1e-5;
}

std::string digest_of(const std::filesystem::path& file) {
  return blake2b(value_or_throw(read_file(file, 1ull << 41))).hex();
}

/// How a tuning problem's arrays begin and must end, as far as it changes what is measured.
std::string text_of(const Fill& fill) {
  std::string text =
      fmt::format(", fill {} {} {}", fill.position, static_cast<int>(fill.how), fill.value.text());
  if (fill.seed) text += fmt::format(" seed {}", *fill.seed);
  if (fill.generator) text += " " + fill.generator->canonical();
  if (fill.how != Fill::How::file) return text;
  try {
    return text + " " + digest_of(fill.file);
  } catch (const Error& error) {
    throw Error(error.code(), fill.place + ": " + error.message());
  }
}

/// Results are comparable where kernel, sizes, data and the bound on errors are the same.
std::string identity_of(const TuningProblem& problem, const Parameters& symbols) {
  const auto& options = problem.options;
  std::string text = fmt::format("spec 1 {}{}, {} bytes, seed {}, rtol {}",
                                 problem.request().problem_class, behind_comma(symbols),
                                 problem_size(problem.base), options.seed, relative_bound(problem));
  for (const auto& [position, file] : options.inputs)
    text += fmt::format(", in {} {}", position, digest_of(file));
  for (const auto& [position, file] : options.expect)
    text += fmt::format(", expect {} {}", position, digest_of(file));
  for (const auto& fill : problem.fills) text += text_of(fill);
  for (const auto& [fill, relative, absolute] : problem.references)
    text += fmt::format("{} within {} {}", text_of(fill), relative, absolute);
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

Expected<BoundSpec> TuningProblem::bind(tune::ConfigurationId id) const {
  return with_options(bind_with(spec, symbols, parameters(id)), *this);
}

TuningProblemPtr read_tuning_problem(const SpecTuning& options) {
  auto made = std::make_shared<TuningProblem>();
  TuningProblem& problem = *made;
  problem.options = options;
  problem.symbols = options.symbols;
  if (options.dataset > 0)
    problem.symbols.set_if.insert_or_assign("dataset", expr::Value(options.dataset));
  // The file's members tell a tuning problem from a specification.
  constexpr std::uint64_t most_bytes = 64u << 20;
  const auto text = read_text(options.file, most_bytes);
  if (text && is_t1(*text))
    read_t1_file(*text, problem);
  else
    read_spec_file(problem);
  if (is_part_of_graph(problem.spec))
    throw Error(Errc::unsupported,
                fmt::format("{}: the kernel is part of a graph (depends, task or from); only "
                            "single kernels are tuned",
                            problem.spec.file));
  problem.source = value_or_throw(load_kernel_source(problem.spec, options.source_dirs));
  value_or_throw(check_source_stays(*problem.source, options.written));
  for (const auto& parameter : problem.space.parameters()) check_name(parameter.name, problem);
  bind_base(problem);
  check_positions(problem);
  const auto symbols = problem_symbols(problem.spec, problem.base, problem.parameters(0));
  problem.identity = identity_of(problem, symbols);
  problem.label = problem.spec.name + behind_comma(symbols);
  return made;
}

}  // namespace kiln::spec
