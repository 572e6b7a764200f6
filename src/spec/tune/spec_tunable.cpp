#include "spec/tune/spec_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/expected.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "schedule/job.hpp"
#include "spec/run/job.hpp"
#include "spec/tune/device_arrays.hpp"
#include "spec/tune/tuned_binding.hpp"
#include "tune/measure/bench.hpp"

// How the kernel of a specification is tuned: SpecSubject is its problem on a device, SpecTunable
// what the tuner knows of it.
namespace kiln::spec {
namespace {

/// The program of a problem that is bound, with the variant that its range takes. Throws
/// kiln::Error.
Program& compile_bound(const TuningProblem& problem, const BoundSpec& bound, Resolver& resolver,
                       const Queue& queue) {
  const auto request = value_or_throw(make_request(problem.spec, bound, problem.source));
  return resolver.resolve(request, queue.context(), queue.device(),
                          {variant_of(problem.spec.name, range_of(bound))});
}

using tune::Failure;
using tune::Unusable;

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

/// A configuration, bound, that nothing speaks against before it is compiled. Throws Unusable.
BoundSpec bind_usable(const TuningProblem& problem, tune::ConfigurationId id,
                      const Device& device) {
  auto bound = problem.bind(id);
  if (!bound) throw Unusable(Failure::resources, bound.error().message());
  if (auto fits = check_device_fit(*bound, device); !fits)
    throw Unusable(Failure::resources, fits.error().message());
  if (auto shape = other_shape(*bound, problem.base); !shape.empty())
    throw Unusable(Failure::wrong_result, shape);
  return *std::move(bound);
}

Arrays make_arrays(const BoundSpec& bound, std::uint64_t seed, const Files& files) {
  try {
    return value_or_throw(Arrays::make(bound, seed, {files.begin(), files.end()}));
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "there is not enough free memory for the buffers");
  }
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

/// A problem on one device. Launches that are timed take turns between several sets of the same
/// buffers.
class SpecSubject final : public tune::Subject {
 public:
  /// Makes the inputs. Throws kiln::Error.
  SpecSubject(TuningProblemPtr problem, Resolver& resolver, const Queue& queue);

  /// Reads the reference's files, or runs the spec without parameters. Throws kiln::Error where it
  /// does not run.
  void make_reference() override;

  const tune::SearchSpace& space() const override { return problem_->space; }
  Request request() const override;
  std::unique_ptr<Form> make(tune::ConfigurationId id) override;
  void reset(Reset which) override;
  std::string difference() override;
  kiln::Measurement measurement(tune::ConfigurationId id) const override {
    return measurement_of(problem_->spec, value_or_throw(problem_->bind(id)),
                          problem_->parameters(id), 0);
  }
  /// Measurements of other sizes may be other problems of the same number of bytes.
  bool is_of_this(const kiln::Measurement& one) const override {
    return one.original == problem_symbols(problem_->spec, problem_->base, one.parameters);
  }

 private:
  class Prepared;
  Arrays make_inputs() const;
  Arrays read_expected() const;
  Arrays fill_references() const;
  Arrays make_results() const;
  Arrays run_untuned();
  std::unique_ptr<Prepared> prepare(const BoundSpec& bound);

  TuningProblemPtr problem_;
  Resolver& resolver_;
  Queue queue_;
  Arrays initial_, reference_;
  DeviceArraySets arrays_;
  bool has_inout_ = false;
};

/// A launch of a configuration.
class SpecSubject::Prepared final : public Form {
 public:
  Prepared(SpecSubject& subject, Launch launch) : subject_(subject), launch_(std::move(launch)) {}
  void run_once() override {
    subject_.arrays_.first().set_arguments(launch_);
    launch_.enqueue(queue());
    check_cl(::clFinish(queue()), "clFinish");
  }
  double run(std::size_t launches) override;

 private:
  cl_command_queue queue() const { return subject_.queue_.cl()(); }
  SpecSubject& subject_;
  Launch launch_;
};

double SpecSubject::Prepared::run(std::size_t launches) {
  double seconds = 0;
  // Some drivers keep much for an event, so that thousands are not held at once.
  constexpr std::size_t most_events = 256;
  for (std::size_t left = launches; left > 0;) {
    std::vector<cl::Event> events(std::min(left, most_events));
    for (auto& event : events) {
      subject_.arrays_.next().set_arguments(launch_);
      launch_.enqueue(queue(), {}, &event());
    }
    check_cl(::clFinish(queue()), "clFinish");
    for (const auto& event : events) seconds += seconds_of(event());
    left -= events.size();
  }
  return seconds;
}

SpecSubject::SpecSubject(TuningProblemPtr problem, Resolver& resolver, const Queue& queue)
    : problem_(std::move(problem)),
      resolver_(resolver),
      queue_(queue),
      initial_(make_inputs()),
      arrays_(problem_->base, initial_, queue_) {
  for (const auto& argument : problem_->base.arguments)
    has_inout_ |= argument.kind == ArgumentKind::inout;
}

void SpecSubject::make_reference() {
  if (!problem_->options.expect.empty())
    reference_ = read_expected();
  else
    reference_ = problem_->references.empty() ? run_untuned() : fill_references();
}

Arrays SpecSubject::make_inputs() const {
  const auto& options = problem_->options;
  Arrays inputs = make_arrays(problem_->base, options.seed, options.inputs);
  for (const auto& fill : problem_->fills)
    if (!options.inputs.contains(fill.position))
      value_or_throw(fill_array(fill, problem_->base.arguments[fill.position].type, options.seed,
                                inputs.at(fill.position).span()));
  return inputs;
}

// As arrays of inputs, so that Arrays reads and checks them; nothing else takes memory.
Arrays SpecSubject::read_expected() const {
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
Arrays SpecSubject::make_results() const {
  BoundSpec results = problem_->base;
  for (auto& argument : results.arguments) {
    if (!argument.is_buffer()) continue;
    argument.kind = ArgumentKind::output;
    if (!is_written(problem_->base.arguments[argument.position])) argument.bytes = 0;
  }
  return make_arrays(results, 0, {});
}

Arrays SpecSubject::fill_references() const {
  Arrays reference = make_results();
  for (const auto& [fill, relative, absolute] : problem_->references)
    value_or_throw(fill_array(fill, problem_->base.arguments[fill.position].type,
                              problem_->options.seed, reference.at(fill.position).span()));
  return reference;
}

Arrays SpecSubject::run_untuned() {
  try {
    value_or_throw(check_device_fit(problem_->base, *queue_.device()));
    reset(Reset::compared);
    prepare(problem_->base)->run_once();
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

std::unique_ptr<SpecSubject::Prepared> SpecSubject::prepare(const BoundSpec& bound) {
  Program& program = compile_bound(*problem_, bound, resolver_, queue_);
  if (auto fits = check_kernel_fit(bound, program, problem_->spec.name); !fits)
    throw Unusable(Failure::resources, fits.error().message());
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
  return std::make_unique<Prepared>(*this, std::move(launch));
}

std::unique_ptr<tune::Subject::Form> SpecSubject::make(tune::ConfigurationId id) {
  return prepare(bind_usable(*problem_, id, *queue_.device()));
}

void SpecSubject::reset(Reset which) {
  if (which == Reset::compared)
    arrays_.first().reset(DeviceArrays::Which::all);
  else if (has_inout_)  // a kernel that accumulates into a buffer would overflow it
    arrays_.reset(DeviceArrays::Which::inout);
}

Request SpecSubject::request() const {
  Request request = problem_->request();
  request.problem_size = problem_size(problem_->base);
  return request;
}

std::string SpecSubject::difference() {
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
    Parameters values;
    for (const auto& parameter : problem_->space.parameters())
      if (const auto value = whole_value(problem_->base, parameter.name))
        values.set(parameter.name, *value);
    return tune::configuration_of(problem_->space, values);
  }

  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr&,
                                    const Queue& queue) const override {
    return std::make_unique<tune::SubjectBench>(
        std::make_unique<SpecSubject>(problem_, resolver, queue), resolver, queue.device());
  }

  /// One that cannot be used is left to who measures: there it is told why, and costs no compile.
  tune::Compile open_compiler(Resolver& resolver, const ContextPtr&,
                              const Queue& queue) const override {
    return [problem = problem_, &resolver, queue](tune::ConfigurationId id) {
      const auto bound = problem->bind(id);
      if (!bound || !check_device_fit(*bound, *queue.device())) return;
      compile_bound(*problem, *bound, resolver, queue);
      resolver.finish();  // writes it to the store, where the measuring process looks
    };
  }

 private:
  TuningProblemPtr problem_;
};

}  // namespace

Expected<std::unique_ptr<tune::Tunable>> make_spec_tunable(const SpecTuning& options) {
  return expected_from([&]() -> std::unique_ptr<tune::Tunable> {
    return std::make_unique<SpecTunable>(read_tuning_problem(options));
  });
}

}  // namespace kiln::spec
