#include "blas/tune/blas_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/clock.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/sequence/sequence_builder.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "tune/space/search_space.hpp"

namespace kiln::blas {

// ---- Operands
namespace {

/// Routines of triangular matrices. They alone write what they read: run again on their own result,
/// its numbers would change from run to run, in the end to NaN or to numbers too small for a
/// processor's fast way.
bool is_triangular(Routine routine) {
  switch (routine) {
    case Routine::trmm:
    case Routine::trsm:
    case Routine::trmv:
    case Routine::trsv:
    case Routine::tbmv:
    case Routine::tbsv:
    case Routine::tpmv:
    case Routine::tpsv:
      return true;
    default:
      return false;
  }
}

double eps_of(Precision precision) {
  return is_double(precision) ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

/// How many products are added up, at most, for one number of a result.
std::size_t sum_length(const Call& call) {
  switch (call.routine) {
    case Routine::gemm:
    case Routine::syrk:
    case Routine::herk:
      return call.k;
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * call.k;
    case Routine::symm:
    case Routine::hemm:
    case Routine::trmm:
    case Routine::trsm:
      return call.side == Side::left ? call.m : call.n;
    case Routine::gemv:
      return call.trans_a == Transpose::none ? call.n : call.m;
    default:  // square ones
      return call.n;
  }
}

}  // namespace

double tolerance_of(const Call& call) {
  const double parts = is_complex(call.precision) ? 2 : 1;
  const double sum = static_cast<double>(sum_length(call)) * parts;
  return 4 * eps_of(call.precision) *
         (sum * std::max(1.0, std::abs(call.alpha)) + std::abs(call.beta));
}

namespace {

/// Where element (i, i) of a square matrix is.
std::size_t diagonal(const Call& call, const Use& use, std::size_t n, std::size_t i) {
  // In a line, the diagonal comes last or first.
  const bool last = (call.uplo == Uplo::upper) == (call.order == Order::column_major);
  if (use.form == Use::Form::packed) return last ? i * (i + 3) / 2 : i * (2 * n - i + 1) / 2;
  if (use.length == n && use.lines == n) return i * (n + 1);
  return i * use.length + (last ? use.length - 1 : 0);  // a band's
}

template <class R>
void random_numbers(R* to, std::size_t count, R scale, unsigned seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<R> number(-1, 1);
  for (std::size_t i = 0; i < count; ++i) to[i] = number(random) * scale;
}

}  // namespace

void fill_at_random(const Call& call, const Use& use, void* block) {
  const std::size_t count = use.length * use.lines, parts = is_complex(call.precision) ? 2 : 1;
  const bool heavy = is_triangular(call.routine) && use.slot == Slot::a;
  const std::size_t n = call.routine < Routine::gemm || call.side == Side::right ? call.n : call.m;
  const auto numbers = [&](auto* to) {
    using R = std::remove_pointer_t<decltype(to)>;
    // Some results are not elements of the call's type: an index, a norm.
    const std::size_t reals = count * use.element / sizeof(R);
    random_numbers(to, reals, heavy ? R(1) / static_cast<R>(n) : R(1),
                   1 + static_cast<unsigned>(use.slot));
    if (heavy)
      for (std::size_t i = 0; i < n; ++i) to[diagonal(call, use, n, i) * parts] = 1;
  };
  if (is_double(call.precision) && use.element >= sizeof(double))
    numbers(static_cast<double*>(block));
  else
    numbers(static_cast<float*>(block));
}

// ---- Runs
namespace {

/// Sequences that are kept ready; each may have workspace of many megabytes.
constexpr std::size_t most_prepared = 16;
/// Sets of inputs: as many as exceed the caches, where that is not too much memory.
constexpr std::size_t most_sets = 4, bytes_of_sets = std::size_t{256} << 20;

/// The first number that is not what it should be; "" where there is none. Compared a thousand at a
/// time, which compilers make fast: results of many millions of numbers are nearly all right.
template <class Number>
std::string difference_of(std::span<const std::byte> found, std::span<const std::byte> expected,
                          double tolerance) {
  const auto* a = reinterpret_cast<const Number*>(found.data());
  const auto* b = reinterpret_cast<const Number*>(expected.data());
  const std::size_t count = found.size() / sizeof(Number), step = 1024;
  const auto bound = static_cast<Number>(tolerance);
  // Not "greater": NaN is wrong, too.
  const auto is_wrong = [&](std::size_t i) { return !(std::abs(a[i] - b[i]) <= bound); };
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t end = std::min(first + step, count);
    unsigned wrong = 0;
    for (std::size_t i = first; i < end; ++i) wrong |= is_wrong(i);
    for (std::size_t i = first; wrong != 0 && i < end; ++i)
      if (is_wrong(i))
        return fmt::format("number {} of the result is {}, expected {}", i, a[i], b[i]);
  }
  return "";
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
  tolerance_ = tolerance_of(call_);
  auto plain = build(defaults);
  restore();
  run_once(*plain);
  difference();  // from nothing: what it found is the reference
}

void BlasBench::add_operand(const Use& use) {
  std::size_t elements = 0;
  if (!extent_of(use, call_[use.slot], elements))
    throw Error(Errc::bad_input, "the sizes are too large");
  Operand operand{use, elements * use.element, {}, {}, {}};
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

std::unique_ptr<SolutionSequence> BlasBench::build(const Parameters& parameters) {
  const cl_command_queue queue = queue_.cl()();
  const GivenParameters given{family_, parameters};
  return library_.build(call_on(0), {std::span(&queue, 1)}, &given);
}

void BlasBench::restore() {
  for (const auto& operand : operands_)
    if (operand.use.access != Use::Access::read)
      queue_.cl().enqueueWriteBuffer(operand.sets[0], CL_TRUE, 0, operand.bytes,
                                     operand.initial.data());
}

void BlasBench::restore_all() {
  for (const auto& operand : operands_)
    if (operand.use.access == Use::Access::both)
      for (const auto& buffer : operand.sets)
        queue_.cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, operand.bytes, operand.initial.data());
}

std::string BlasBench::difference() {
  for (auto& operand : operands_) {
    if (operand.use.access == Use::Access::read) continue;
    // Mapped, not read: a CPU device has the numbers where they are.
    const auto* const found = static_cast<const std::byte*>(
        queue_.cl().enqueueMapBuffer(operand.sets[0], CL_TRUE, CL_MAP_READ, 0, operand.bytes));
    const std::span numbers(found, operand.bytes);
    std::string text;
    if (operand.reference.empty())
      operand.reference.assign(numbers.begin(), numbers.end());
    else if (is_double(call_.precision))
      text = difference_of<double>(numbers, operand.reference, tolerance_);
    else
      text = difference_of<float>(numbers, operand.reference, tolerance_);
    queue_.cl().enqueueUnmapMemObject(operand.sets[0], const_cast<std::byte*>(found));
    if (!text.empty()) return text;
  }
  return "";
}

void BlasBench::run_once(SolutionSequence& sequence) {
  const cl_command_queue queue = queue_.cl()();
  sequence.run(call_on(0), {std::span(&queue, 1)});
  queue_.cl().finish();
}

tune::Report BlasBench::prepare(tune::ConfigurationId id) {
  if (prepared_.size() >= most_prepared) prepared_.clear();
  tune::Report report{tune::Outcome::of_time(1), ""};
  const Stopwatch compiling;
  auto sequence = build(parameters_of(space_, id));
  report.compiling = compiling.seconds();
  restore();
  const Stopwatch running;
  run_once(*sequence);
  report.running = running.seconds();
  report.message = difference();
  if (report.message.empty())
    prepared_[id] = std::move(sequence);
  else
    report.outcome = tune::Outcome::of(tune::Failure::wrong_result);
  return report;
}

double BlasBench::run(tune::ConfigurationId id, std::size_t launches) {
  if (!prepared_.contains(id)) {
    prepared_[id] = build(parameters_of(space_, id));
    restore();
    run_once(*prepared_[id]);  // warm
  }
  if (is_triangular(call_.routine)) restore_all();
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

Request BlasBench::record_request() const {
  Request request;
  request.family = family_;
  request.version = family_version(family_);
  request.problem_class = problem_class_of(call_);
  request.problem_size = problem_size_of(call_);
  return request;
}

void BlasBench::record(tune::ConfigurationId id, double seconds, double standard) {
  const Request request = record_request();
  resolver_.record(request, *queue_.device(),
                   {Measurement{parameters_of(space_, id),
                                request.problem_size,
                                seconds * 1e3,
                                Measurement::Of::kiln,
                                "kiln tune",
                                {},
                                standard * 1e3}});
}

std::optional<tune::ConfigurationId> BlasBench::on_record() {
  const Request request = record_request();
  return best_on_record(space_, resolver_.tuning_record(request, *queue_.device()),
                        request.problem_size);
}

// A sequence is built for a shape: the operands that it will run with need not be there.
void BlasCompiler::compile(tune::ConfigurationId id) {
  const cl_command_queue queue = queue_.cl()();
  const GivenParameters given{family_, parameters_of(space_, id)};
  library_.build(call_, {std::span(&queue, 1)}, &given);
  resolver_.finish();  // into the store, from where the measuring process takes it
}

}  // namespace kiln::blas
