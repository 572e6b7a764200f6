// What the tuner measures BLAS with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "blas/api/library.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/sequence/sequence_builder.hpp"
#include "blas/tune/blas_tunable.hpp"

namespace kiln::blas {

// ---- Operands
namespace {

double eps_of(Precision precision) {
  return is_double(precision) ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

/// How many products are added up, at most, for one number of a result.
std::size_t sum_length(const Call& call) {
  if (has(call.routine, trait::sided)) return square_of(call);
  if (is_compute_bound(call.routine)) return has(call.routine, trait::second) ? 2 * call.k : call.k;
  return call.routine == Routine::gemv && call.trans_a != Transpose::none ? call.m : call.n;
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

/// The same for elements of other kinds: numbers of magnitude 1/32 to 1, whole ones of all that
/// their bits have.
void random_stored(Storage kind, std::uint8_t* to, std::size_t bytes, unsigned seed) {
  std::minstd_rand random(seed);
  /// A number of a format by its sign and fraction, with one of five exponents below that of 1.
  const auto number = [&](unsigned fraction_bits, unsigned bias, unsigned size) {
    const auto bits = static_cast<unsigned>(random());
    return (bits & 1u) << (size - 1) | (bias - 1 - (bits >> 1) % 5) << fraction_bits |
           (bits >> 4 & ((1u << fraction_bits) - 1));
  };
  const auto put_16 = [&](std::size_t at, unsigned bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::memcpy(to + at, &half, sizeof half);
  };
  switch (kind) {
    case Storage::half:
      for (std::size_t i = 0; i + 1 < bytes; i += 2) put_16(i, number(10, 15, 16));
      break;
    case Storage::bfloat16:
      for (std::size_t i = 0; i + 1 < bytes; i += 2) put_16(i, number(7, 127, 16));
      break;
    case Storage::e4m3:
      for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(number(3, 7, 8));
      break;
    case Storage::e5m2:
      for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(number(2, 15, 8));
      break;
    case Storage::int32:
      for (std::size_t i = 0; i + 3 < bytes; i += 4) {
        const auto whole = static_cast<std::int32_t>(random() % 256) - 128;
        std::memcpy(to + i, &whole, sizeof whole);
      }
      break;
    default:
      for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(random() >> 8);
  }
}

}  // namespace

void fill_at_random(const Call& call, const Use& use, void* block) {
  Storage kind = call[use.slot].stored;
  if (use.slot == Slot::scale_a || use.slot == Slot::scale_b) kind = Storage::half;
  if (kind != Storage::native) {
    const std::size_t elements = use.length * use.lines;
    return random_stored(kind, static_cast<std::uint8_t*>(block),
                         (elements + use.in_one - 1) / use.in_one * use.element,
                         1 + static_cast<unsigned>(use.slot));
  }
  const std::size_t count = use.length * use.lines, parts = is_complex(call.precision) ? 2 : 1;
  const bool heavy = has(call.routine, trait::triangular) && use.slot == Slot::a;
  const std::size_t n = is_compute_bound(call.routine) ? square_of(call) : call.n;
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

class BlasSubject final : public tune::Subject {
 public:
  BlasSubject(const Call& call, const Request& request, const tune::SearchSpace& space,
              const Parameters& defaults, Resolver& resolver, const Queue& queue);

  const tune::SearchSpace& space() const override { return space_; }
  Request request() const override { return request_; }
  std::unique_ptr<Form> make(tune::ConfigurationId id) override;
  void reset(Reset which) override;
  std::string difference() override;

 private:
  class Sequence;
  /// One operand in every set of inputs; results are compared in the first one.
  struct Operand {
    Use use;
    std::size_t bytes;
    std::vector<std::byte> initial;
    std::vector<std::byte> reference;  ///< of what is written: what is right
    std::vector<cl::Buffer> sets;
  };

  void add_operand(const Use& use);
  Call call_on(std::size_t set) const;
  std::unique_ptr<SolutionSequence> build(const Parameters& parameters);

  Call call_;
  Request request_;
  const tune::SearchSpace& space_;
  Queue queue_;
  Library library_;
  std::vector<Operand> operands_;
  cl::Buffer mark_;
  double tolerance_ = 0;
  std::size_t turn_ = 0;
};

class BlasSubject::Sequence final : public Form {
 public:
  Sequence(BlasSubject& subject, std::unique_ptr<SolutionSequence> steps)
      : subject_(subject), queue_(subject.queue_.cl()()), steps_(std::move(steps)) {}
  void run_once() override {
    steps_->run(subject_.call_on(0), {std::span(&queue_, 1)});
    subject_.queue_.cl().finish();
  }
  double run(std::size_t launches) override;

 private:
  BlasSubject& subject_;
  cl_command_queue queue_;
  std::unique_ptr<SolutionSequence> steps_;
};

double BlasSubject::Sequence::run(std::size_t launches) {
  const auto& queue = subject_.queue_.cl();
  // A small command before: its end is the beginning of what follows in the queue.
  cl::Event before;
  queue.enqueueFillBuffer(subject_.mark_, cl_int{0}, 0, sizeof(cl_int), nullptr, &before);
  cl_event last = nullptr;
  for (std::size_t i = 0; i < launches; ++i) {
    Execution execution{std::span(&queue_, 1)};
    if (i + 1 == launches) execution.events = &last;
    steps_->run(subject_.call_on(subject_.turn_++), execution);
  }
  const cl::Event after(last);
  queue.finish();
  const auto begin = before.getProfilingInfo<CL_PROFILING_COMMAND_END>(),
             end = after.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

BlasSubject::BlasSubject(const Call& call, const Request& request, const tune::SearchSpace& space,
                         const Parameters& defaults, Resolver& resolver, const Queue& queue)
    : call_(call),
      request_(request),
      space_(space),
      queue_(queue),
      library_(resolver),
      mark_(queue.context()->cl(), CL_MEM_READ_WRITE, sizeof(cl_int)) {
  for (const Use& use : Uses(call_)) add_operand(use);
  tolerance_ = tolerance_of(call_);
  reset(Reset::compared);
  Sequence(*this, build(defaults)).run_once();
  for (auto& operand : operands_) {
    if (operand.use.access == Use::Access::read) continue;
    operand.reference.resize(operand.bytes);
    queue_.cl().enqueueReadBuffer(operand.sets[0], CL_TRUE, 0, operand.bytes,
                                  operand.reference.data());
  }
}

void BlasSubject::add_operand(const Use& use) {
  std::size_t bytes = 0;
  if (!bytes_of(use, call_[use.slot], bytes))
    throw Error(Errc::bad_input, "the sizes are too large");
  Operand operand{use, bytes, {}, {}, {}};
  operand.initial.resize(operand.bytes);
  fill_at_random(call_, use, operand.initial.data());
  for (std::size_t set = tune::data_sets(operand.bytes); set > 0; --set) {
    auto& buffer =
        operand.sets.emplace_back(queue_.context()->cl(), CL_MEM_READ_WRITE, operand.bytes);
    queue_.cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, operand.bytes, operand.initial.data());
  }
  operands_.push_back(std::move(operand));
}

Call BlasSubject::call_on(std::size_t set) const {
  Call call = call_;
  for (const auto& operand : operands_)
    call[operand.use.slot].memory = operand.sets[set % operand.sets.size()]();
  return call;
}

std::unique_ptr<SolutionSequence> BlasSubject::build(const Parameters& parameters) {
  const cl_command_queue queue = queue_.cl()();
  const GivenParameters given{request_.family, parameters};
  return library_.build(call_on(0), {std::span(&queue, 1)}, &given);
}

std::unique_ptr<tune::Subject::Form> BlasSubject::make(tune::ConfigurationId id) {
  return std::make_unique<Sequence>(*this, build(tune::parameters_of(space_, id)));
}

void BlasSubject::reset(Reset which) {
  const bool compared = which == Reset::compared;
  // Routines of triangular matrices alone write what they read: run again on their own result, its
  // numbers would change from run to run, in the end to NaN or to numbers too small for a
  // processor's fast way.
  if (!compared && !has(call_.routine, trait::triangular)) return;
  for (const auto& operand : operands_) {
    const auto access = operand.use.access;
    if (access == Use::Access::read || (!compared && access != Use::Access::both)) continue;
    for (const auto& buffer : operand.sets) {
      queue_.cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, operand.bytes, operand.initial.data());
      if (compared) break;
    }
  }
}

std::string BlasSubject::difference() {
  for (auto& operand : operands_) {
    if (operand.use.access == Use::Access::read) continue;
    // Mapped, not read: a CPU device has the numbers where they are.
    const auto* const found = static_cast<const std::byte*>(
        queue_.cl().enqueueMapBuffer(operand.sets[0], CL_TRUE, CL_MAP_READ, 0, operand.bytes));
    const ByteView numbers(found, operand.bytes);
    const std::string text =
        is_double(call_.precision)
            ? tune::difference_of<double>(numbers, operand.reference, tolerance_)
            : tune::difference_of<float>(numbers, operand.reference, tolerance_);
    queue_.cl().enqueueUnmapMemObject(operand.sets[0], const_cast<std::byte*>(found));
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

std::unique_ptr<tune::Subject> make_blas_subject(const Call& call, const Request& request,
                                                 const tune::SearchSpace& space,
                                                 const Parameters& defaults, Resolver& resolver,
                                                 const Queue& queue) {
  return std::make_unique<BlasSubject>(call, request, space, defaults, resolver, queue);
}

// A sequence is built for a shape: the operands that it will run with need not be there.
tune::Compile make_blas_compiler(const Call& call, const std::string& family,
                                 const tune::SearchSpace& space, Resolver& resolver,
                                 const Queue& queue) {
  return [call, family, &space, &resolver, queue,
          library = std::make_shared<Library>(resolver)](tune::ConfigurationId id) {
    const cl_command_queue handle = queue.cl()();
    const GivenParameters given{family, tune::parameters_of(space, id)};
    library->build(call, {std::span(&handle, 1)}, &given);
    resolver.finish();  // into the store, from where the measuring process takes it
  };
}

}  // namespace kiln::blas
