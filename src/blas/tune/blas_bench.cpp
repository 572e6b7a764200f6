#include "blas/tune/blas_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "blas/problem_class.hpp"
#include "blas/random_operand.hpp"
#include "blas/tune/tuned_family.hpp"

namespace kiln::blas {
namespace {

/// Sequences that are kept ready; each may have workspace of many megabytes.
constexpr std::size_t most_prepared = 16;
/// Sets of inputs: as many as exceed the caches, where that is not too much memory.
constexpr std::size_t most_sets = 4, bytes_of_sets = std::size_t{256} << 20;

double eps_of(Precision precision) {
  return is_double(precision) ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

}  // namespace

BlasBench::BlasBench(const Call& call, std::string family, const tune::SearchSpace& space,
                     const Parameters& defaults, Resolver& resolver, const Queue& queue)
    : call_(call),
      family_(std::move(family)),
      space_(space),
      resolver_(resolver),
      queue_(queue),
      library_(resolver),
      mark_(queue.context()->cl(), CL_MEM_READ_WRITE, sizeof(cl_int)) {
  for (const Use& use : Uses(call_)) add_operand(use);
  // Sums of products of numbers up to 1, in any order.
  const auto longest = static_cast<double>(std::max({call_.m, call_.n, call_.k}));
  tolerance_ = 4 * eps_of(call_.precision) * longest;
  auto plain = build(defaults);
  run_once(*plain);
  reference_ = results();
}

void BlasBench::add_operand(const Use& use) {
  std::size_t elements = 0;
  if (!extent_of(use, call_[use.slot], elements))
    throw Error(Errc::bad_input, "the sizes are too large");
  Operand operand{use, elements * use.element, {}, {}};
  operand.initial.resize(operand.bytes);
  fill_at_random(call_, use, operand.initial.data());
  const std::size_t sets = std::clamp<std::size_t>(
      bytes_of_sets / std::max<std::size_t>(operand.bytes, 1), 1, most_sets);
  for (std::size_t set = 0; set < sets; ++set) {
    auto& buffer =
        operand.sets.emplace_back(queue_.context()->cl(), CL_MEM_READ_WRITE, operand.bytes);
    queue_.cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, operand.bytes, operand.initial.data());
  }
  operands_.push_back(std::move(operand));
}

Call BlasBench::call_on(std::size_t set) const {
  Call call = call_;
  for (const auto& operand : operands_)
    call[operand.use.slot].memory = operand.sets[set % operand.sets.size()]();
  return call;
}

Parameters BlasBench::parameters_of(tune::ConfigurationId id) const {
  Parameters parameters;
  const auto& names = space_.parameters();
  for (std::size_t i = 0; i < names.size(); ++i)
    parameters.set(names[i].name, *space_.value(id, i).to_integer());
  return parameters;
}

std::unique_ptr<SolutionSequence> BlasBench::build(const Parameters& parameters) {
  resolver_.try_out(family_, parameters);
  const cl_command_queue queue = queue_.cl()();
  return library_.build(call_on(0), {std::span(&queue, 1)});
}

void BlasBench::restore() {
  for (const auto& operand : operands_)
    if (operand.use.access != Use::Access::read)
      queue_.cl().enqueueWriteBuffer(operand.sets[0], CL_TRUE, 0, operand.bytes,
                                     operand.initial.data());
}

std::vector<double> BlasBench::results() {
  std::vector<double> values;
  for (const auto& operand : operands_) {
    if (operand.use.access == Use::Access::read) continue;
    std::vector<std::byte> bytes(operand.bytes);
    queue_.cl().enqueueReadBuffer(operand.sets[0], CL_TRUE, 0, operand.bytes, bytes.data());
    const auto append = [&](const auto* from, std::size_t count) {
      values.insert(values.end(), from, from + count);
    };
    if (is_double(call_.precision))
      append(reinterpret_cast<const double*>(bytes.data()), bytes.size() / sizeof(double));
    else
      append(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
  }
  return values;
}

void BlasBench::run_once(SolutionSequence& sequence) {
  restore();
  const cl_command_queue queue = queue_.cl()();
  sequence.run(call_on(0), {std::span(&queue, 1)});
  queue_.cl().finish();
}

tune::Report BlasBench::prepare(tune::ConfigurationId id) {
  if (prepared_.size() >= most_prepared) prepared_.clear();
  auto sequence = build(parameters_of(id));
  run_once(*sequence);
  const auto found = results();
  for (std::size_t i = 0; i < found.size(); ++i)
    // Not "greater": what is no number is wrong, too.
    if (!(std::abs(found[i] - reference_[i]) <= tolerance_))
      return {
          tune::Outcome::of(tune::Failure::wrong_result),
          fmt::format("number {} of the result is {}, expected {}", i, found[i], reference_[i])};
  prepared_[id] = std::move(sequence);
  return {tune::Outcome::of_time(1), ""};
}

double BlasBench::run(tune::ConfigurationId id, std::size_t launches) {
  if (!prepared_.contains(id)) {
    prepared_[id] = build(parameters_of(id));
    run_once(*prepared_[id]);  // warm
  }
  SolutionSequence& sequence = *prepared_[id];
  const cl_command_queue queue = queue_.cl()();
  // A small command before: its end is the beginning of what follows in the queue.
  cl::Event before;
  queue_.cl().enqueueFillBuffer(mark_, cl_int{0}, 0, sizeof(cl_int), nullptr, &before);
  cl_event last = nullptr;
  for (std::size_t i = 0; i < launches; ++i) {
    const bool is_last = i + 1 == launches;
    Execution execution{std::span(&queue, 1)};
    if (is_last) execution.events = &last;
    sequence.run(call_on(turn_++), execution);
  }
  const cl::Event after(last);
  queue_.cl().finish();
  const auto begin = before.getProfilingInfo<CL_PROFILING_COMMAND_END>(),
             end = after.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

void BlasBench::record(tune::ConfigurationId id, double seconds) {
  Request request;
  request.family = family_;
  request.version = family_version(family_);
  request.problem_class = problem_class_of(call_);
  request.problem_size = problem_size_of(call_);
  resolver_.record(request, *queue_.device(),
                   {Measurement{parameters_of(id),
                                request.problem_size,
                                seconds * 1e3,
                                Measurement::Of::kiln,
                                "kiln tune",
                                {}}});
}

}  // namespace kiln::blas
