#include "spec/tune/spec_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "schedule/job.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/device_arrays.hpp"
#include "spec/tune/problem.hpp"
#include "spec/tune/record.hpp"
#include "spec/tune/tuned_binding.hpp"
#include "tune/space/search_space.hpp"

// How the kernel of a specification is tuned: its configurations are compiled (SpecCompiler), and
// checked, compared and timed on a device (SpecBench); SpecTunable hands both to the tuner.
namespace kiln::spec {
namespace {

/// The first line of a build log that names an error, or else its first line.
std::string first_error(const std::string& message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.find("error") != line.npos) return one_line(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return one_line(std::string_view(message).substr(0, message.find('\n')));
}

/// The program of a problem that is bound, with the variant that its range takes. Throws
/// kiln::Error.
Program& compile_bound(const TuningProblem& problem, const BoundSpec& bound, Resolver& resolver,
                       const Queue& queue) {
  const auto request = value_or_throw(make_request(problem.spec, bound, problem.source));
  return resolver.resolve(request, queue.context(), queue.device(),
                          {variant_of(problem.spec.name, range_of(bound))});
}

/// Compiles the kernel of a spec's configurations. One thread.
class SpecCompiler : public tune::Compiler {
 public:
  SpecCompiler(TuningProblemPtr problem, Resolver& resolver, const Queue& queue)
      : problem_(std::move(problem)), resolver_(resolver), queue_(queue) {}
  /// One that cannot be bound, or that the device cannot have, is left to who measures: there it
  /// is told why, and costs no compile.
  void compile(tune::ConfigurationId id) override;

 private:
  TuningProblemPtr problem_;
  Resolver& resolver_;
  Queue queue_;
};

void SpecCompiler::compile(tune::ConfigurationId id) {
  const auto bound = problem_->bind(id);
  if (!bound || !check_device_fit(*bound, *queue_.device())) return;
  try {
    compile_bound(*problem_, *bound, resolver_, queue_);
    resolver_.finish();  // writes it to the store, where the measuring process looks
  } catch (const Error& error) {
    if (error.code() != Errc::build) throw;
    throw Error(Errc::build, first_error(error.message()));
  }
}

using tune::Failure;
using tune::Report;

/// Launches that are kept ready: each holds a kernel of its driver's.
constexpr std::size_t most_prepared = 16;

Arrays make_arrays(const BoundSpec& bound, std::uint64_t seed, const Files& files) {
  try {
    return value_or_throw(Arrays::make(bound, seed, {files.begin(), files.end()}));
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "there is not enough free memory for the buffers");
  }
}

/// Statuses with which drivers say that a launch wants too much. Launch puts them into its text.
bool wants_too_much(const std::string& message) {
  constexpr const char* statuses[] = {"CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY",
                                      "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                      "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_WORK_ITEM_SIZE"};
  return std::any_of(std::begin(statuses), std::end(statuses),
                     [&](const char* status) { return message.find(status) != message.npos; });
}

Report report(Failure failure, std::string message) {
  return {tune::Outcome::of(failure), std::move(message)};
}

Report report_of(const Error& error) {
  if (error.code() == Errc::build) return report(Failure::build, first_error(error.message()));
  const bool resources = error.code() == Errc::device && wants_too_much(error.message());
  return report(resources ? Failure::resources : Failure::launch, one_line(error.message()));
}

/// What is compared must be as large; with other inputs the results could not be the same.
std::string other_shape(const BoundSpec& bound, const BoundSpec& base) {
  for (const auto& argument : bound.arguments) {
    const auto& wanted = base.arguments[argument.position];
    if (argument.is_buffer() && argument.bytes != wanted.bytes)
      return fmt::format("argument {}: {} bytes instead of the reference's {}", argument.position,
                         argument.bytes, wanted.bytes);
  }
  return "";
}

double seconds_of(cl_event event) {
  cl_ulong start = 0, end = 0;
  check_cl(
      ::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
      "clGetEventProfilingInfo");
  check_cl(::clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
           "clGetEventProfilingInfo");
  // Some drivers' clocks step back; an unsigned difference would then be centuries.
  return end > start ? static_cast<double>(end - start) * 1e-9 : 0;
}

/// Configurations of a spec on one device: checked against it, compiled, compared, timed. Launches
/// that are timed take turns between several sets of the same buffers, so that a small problem does
/// not live in the nearest cache.
class SpecBench final : public tune::Bench {
 public:
  /// Makes the inputs and the reference: reads its files, or runs the spec without parameters.
  /// Throws kiln::Error where it does not run.
  SpecBench(TuningProblemPtr problem, Resolver& resolver, const Queue& queue);

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  Arrays make_inputs() const;
  Arrays read_expected() const;
  Arrays fill_references() const;
  Arrays make_results() const;
  Arrays run_untuned();
  tune::Report try_out(tune::ConfigurationId id, const BoundSpec& bound);
  Launch make_launch(const BoundSpec& bound, Program& program);
  void run_once(Launch& launch);
  std::string difference();
  /// The launch of a configuration that was right: kept ready, or made again.
  Launch& ready(tune::ConfigurationId id);
  void keep(tune::ConfigurationId id, Launch launch);

  TuningProblemPtr problem_;
  Resolver& resolver_;
  Queue queue_;
  Arrays initial_, reference_;
  DeviceArraySets arrays_;
  bool has_inout_ = false;
  std::set<tune::ConfigurationId> right_;  ///< those that were
  std::map<tune::ConfigurationId, Launch> prepared_;
};

SpecBench::SpecBench(TuningProblemPtr problem, Resolver& resolver, const Queue& queue)
    : problem_(std::move(problem)),
      resolver_(resolver),
      queue_(queue),
      initial_(make_inputs()),
      arrays_(problem_->base, initial_, queue_) {
  for (const auto& argument : problem_->base.arguments)
    has_inout_ |= argument.kind == ArgumentKind::inout;
  if (!problem_->options.expect.empty())
    reference_ = read_expected();
  else
    reference_ = problem_->references.empty() ? run_untuned() : fill_references();
}

Arrays SpecBench::make_inputs() const {
  const auto& options = problem_->options;
  Arrays inputs = make_arrays(problem_->base, options.seed, options.inputs);
  for (const auto& fill : problem_->fills)
    if (!options.inputs.contains(fill.position))
      value_or_throw(fill_array(fill, problem_->base.arguments[fill.position].type, options.seed,
                                inputs.at(fill.position).span()));
  return inputs;
}

// As arrays of inputs, so that Arrays reads and checks them; nothing else takes memory.
Arrays SpecBench::read_expected() const {
  BoundSpec results = problem_->base;
  for (auto& argument : results.arguments) {
    if (is_written(argument)) {
      argument.kind = ArgumentKind::inout;
    } else if (argument.is_buffer()) {
      argument.kind = ArgumentKind::output;
      argument.count = argument.bytes = 0;
    }
  }
  return make_arrays(results, 0, problem_->options.expect);
}

/// Arrays for the written arguments only; the others take no memory.
Arrays SpecBench::make_results() const {
  BoundSpec results = problem_->base;
  for (auto& argument : results.arguments) {
    if (!argument.is_buffer()) continue;
    argument.kind = ArgumentKind::output;
    if (!is_written(problem_->base.arguments[argument.position])) argument.bytes = 0;
  }
  return make_arrays(results, 0, {});
}

Arrays SpecBench::fill_references() const {
  Arrays reference = make_results();
  for (const auto& [fill, relative, absolute] : problem_->references)
    value_or_throw(fill_array(fill, problem_->base.arguments[fill.position].type,
                              problem_->options.seed, reference.at(fill.position).span()));
  return reference;
}

Arrays SpecBench::run_untuned() {
  try {
    value_or_throw(check_device_fit(problem_->base, *queue_.device()));
    Program& program = compile_bound(*problem_, problem_->base, resolver_, queue_);
    value_or_throw(check_kernel_fit(problem_->base, program, problem_->spec.name));
    Launch launch = make_launch(problem_->base, program);
    run_once(launch);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: the run {}, which says what is right, fails "
                            "(--expect P=FILE may say it instead): {}",
                            problem_->spec.file, problem_->untuned_run, error.message()));
  }
  Arrays reference = make_results();
  for (const auto& argument : problem_->base.arguments)
    if (is_written(argument))
      std::memcpy(reference.at(argument.position).data(),
                  arrays_.first().contents(argument.position).data(), argument.bytes);
  return reference;
}

Launch SpecBench::make_launch(const BoundSpec& bound, Program& program) {
  const auto& kernel = program.kernel(problem_->spec.name);
  const Job job = value_or_throw(make_job(problem_->spec, bound, problem_->source, initial_));
  const auto parameters = resolver_.facts(job.request, program, job.kernel).parameters;
  value_or_throw(check_arguments_match(kernel, job, parameters));
  value_or_throw(check_argument_types(bound, kernel, parameters));
  Launch launch(queue_.context(), program, problem_->spec.name);
  for (const auto& argument : bound.arguments) {
    if (argument.kind == ArgumentKind::scalar) launch.set_scalar(argument.position, argument.value);
    if (argument.kind == ArgumentKind::local) launch.set_local(argument.position, argument.bytes);
  }
  launch.set_range(range_of(bound));
  return launch;
}

void SpecBench::run_once(Launch& launch) {
  arrays_.first().reset(DeviceArrays::Which::all);
  arrays_.first().set_arguments(launch);
  launch.enqueue(queue_.cl()());
  check_cl(::clFinish(queue_.cl()()), "clFinish");
}

std::string SpecBench::difference() {
  for (const auto& argument : problem_->base.arguments) {
    const auto bound = is_written(argument) ? problem_->tolerance(argument.position) : std::nullopt;
    if (!bound) continue;
    const auto text = first_difference(argument.type, reference_.at(argument.position).view(),
                                       arrays_.first().contents(argument.position), bound->relative,
                                       bound->absolute);
    if (!text.empty()) return fmt::format("argument {}: {}", argument.position, text);
  }
  return "";
}

Report SpecBench::prepare(tune::ConfigurationId id) {
  prepared_.erase(id);
  right_.erase(id);
  const auto bound = problem_->bind(id);
  if (!bound) return report(Failure::resources, one_line(bound.error().message()));
  if (auto fits = check_device_fit(*bound, *queue_.device()); !fits)
    return report(Failure::resources, one_line(fits.error().message()));
  if (auto shape = other_shape(*bound, problem_->base); !shape.empty())
    return report(Failure::wrong_result, std::move(shape));
  try {
    return try_out(id, *bound);
  } catch (const Error& error) {
    // What is no fault of this configuration would be no fault of any other's either.
    if (error.code() == Errc::io || error.code() == Errc::internal) throw;
    return report_of(error);
  }
}

Report SpecBench::try_out(tune::ConfigurationId id, const BoundSpec& bound) {
  const Stopwatch compiling;
  Program& program = compile_bound(*problem_, bound, resolver_, queue_);
  const double compiled = compiling.seconds();
  if (auto fits = check_kernel_fit(bound, program, problem_->spec.name); !fits)
    return report(Failure::resources, one_line(fits.error().message()));
  Launch launch = make_launch(bound, program);
  const Stopwatch running;
  run_once(launch);
  const double ran = running.seconds();
  if (auto wrong = difference(); !wrong.empty())
    return report(Failure::wrong_result, std::move(wrong));
  right_.insert(id);
  keep(id, std::move(launch));
  return {tune::Outcome::of_time(1), "", compiled, ran};
}

void SpecBench::keep(tune::ConfigurationId id, Launch launch) {
  if (prepared_.size() >= most_prepared) prepared_.clear();
  prepared_.emplace(id, std::move(launch));
}

Launch& SpecBench::ready(tune::ConfigurationId id) {
  if (!right_.contains(id))
    throw Error(Errc::internal,
                fmt::format("configuration {} was not prepared", problem_->space.text(id)));
  if (!prepared_.contains(id)) {
    const auto bound = value_or_throw(problem_->bind(id));
    Launch launch = make_launch(bound, compile_bound(*problem_, bound, resolver_, queue_));
    run_once(launch);  // warm, as one that was just compared is
    keep(id, std::move(launch));
  }
  return prepared_.at(id);
}

double SpecBench::run(tune::ConfigurationId id, std::size_t launches) {
  Launch& launch = ready(id);
  // Otherwise a kernel that accumulates into a buffer would overflow it after many launches.
  if (has_inout_) arrays_.reset(DeviceArrays::Which::inout);
  double seconds = 0;
  // Some drivers keep much for an event, so that thousands are not held at once.
  constexpr std::size_t most_events = 256;
  for (std::size_t left = launches; left > 0;) {
    std::vector<cl::Event> events(std::min(left, most_events));
    for (auto& event : events) {
      arrays_.next().set_arguments(launch);
      launch.enqueue(queue_.cl()(), {}, &event());
    }
    check_cl(::clFinish(queue_.cl()()), "clFinish");
    for (const auto& event : events) seconds += seconds_of(event());
    left -= events.size();
  }
  return seconds;
}

void SpecBench::record(tune::ConfigurationId id, double seconds, double standard) {
  const auto bound = value_or_throw(problem_->bind(id));
  Request request = problem_->request();
  request.problem_size = problem_size(bound);
  Measurement measured = measurement_of(problem_->spec, bound, problem_->parameters(id), seconds);
  measured.standard_milliseconds = standard * 1e3;
  resolver_.record(request, *queue_.device(), {measured});
}

/// Of just these sizes: the others in `original` may be other problems of the same size.
std::optional<tune::ConfigurationId> SpecBench::on_record() {
  Request request = problem_->request();
  request.problem_size = problem_size(problem_->base);
  TuningRecord record = resolver_.tuning_record(request, *queue_.device());
  std::erase_if(record.history, [&](const Measurement& one) {
    return one.original != problem_symbols(problem_->spec, problem_->base, one.parameters);
  });
  return best_on_record(problem_->space, record, request.problem_size);
}

class SpecTunable final : public tune::Tunable {
 public:
  explicit SpecTunable(TuningProblemPtr problem) : problem_(std::move(problem)) {}

  std::string label() const override { return problem_->label; }
  std::string identity() const override { return problem_->identity; }
  tune::TuningProblem problem() const override {
    const Request request = problem_->request();
    return {request.family, request.version, request.problem_class, problem_size(problem_->base)};
  }
  const tune::SearchSpace& space() const override { return problem_->space; }

  /// The values that the file has without parameters.
  std::optional<tune::ConfigurationId> standard() const override {
    if (!problem_->runs_untuned) return std::nullopt;
    tune::Positions positions;
    for (const auto& parameter : problem_->space.parameters()) {
      const auto value = whole_value(problem_->base, parameter.name);
      const auto at = value ? tune::position_of(parameter, *value) : parameter.values.size();
      if (at == parameter.values.size()) return std::nullopt;
      positions.push_back(static_cast<std::uint16_t>(at));
    }
    return problem_->space.find(positions);
  }

  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr&,
                                    const Queue& queue) const override {
    return std::make_unique<SpecBench>(problem_, resolver, queue);
  }

  std::unique_ptr<tune::Compiler> open_compiler(Resolver& resolver, const ContextPtr&,
                                                const Queue& queue) const override {
    return std::make_unique<SpecCompiler>(problem_, resolver, queue);
  }

 private:
  TuningProblemPtr problem_;
};

}  // namespace

Expected<std::unique_ptr<tune::Tunable>> make_spec_tunable(const SpecTuning& options) {
  auto problem = read_tuning_problem(options);
  if (!problem) return tl::unexpected(problem.error());
  return std::make_unique<SpecTunable>(*std::move(problem));
}

}  // namespace kiln::spec
