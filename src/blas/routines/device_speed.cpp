#include <algorithm>
#include <chrono>
#include <cmath>

#include "blas/call/problem_class.hpp"
#include "blas/routines/routines.hpp"
#include "blas/sequence/sequence_builder.hpp"
#include "kiln/formats/kdb.hpp"

// device_speed() and speed_request() of sequence_builder.hpp: they run routines, and so are above
// them.
namespace kiln::blas {
namespace {

// A run shorter than this says more about the launch than about the device.
constexpr double least_milliseconds = 2;
constexpr std::size_t first_size = 512, most_size = 4096;

/// A product of squares, or of a square and a vector, on memory of its own.
class Trial {
 public:
  Trial(Resolver& resolver, const ContextPtr& context, const DevicePtr& device, Precision precision,
        Limit limit, std::size_t n)
      : queue_(context, device) {
    call_.routine = limit == Limit::arithmetic ? Routine::gemm : Routine::gemv;
    call_.precision = precision;
    call_.m = call_.n = n;
    call_.k = limit == Limit::arithmetic ? n : 0;
    call_ = contiguous(call_);
    for (const Use& use : Uses(call_)) give(use);
    SequenceBuilder builder(call_, context, {device}, resolver);
    add_steps(builder);
    const cl_device_id handle = device->handle();
    sequence_ = std::make_unique<SolutionSequence>(Shape(call_, context->cl()(), &handle, 1),
                                                   builder.take());
  }

  double milliseconds() {
    const cl_command_queue queue = queue_.cl()();
    const auto start = std::chrono::steady_clock::now();
    sequence_->run(call_, {std::span(&queue, 1)});
    check_cl(::clFinish(queue), "clFinish");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }
  double multiply_adds() const {
    return static_cast<double>(call_.m) * static_cast<double>(call_.n) *
           static_cast<double>(std::max<std::size_t>(call_.k, 1));
  }

 private:
  void give(const Use& use) {
    std::vector<char> zeros(use.length * use.lines * use.element);
    try {
      buffers_.emplace_back(queue_.context()->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            zeros.size(), zeros.data());
    } catch (const cl::Error& error) {
      throw cl_error(error);
    }
    call_[use.slot].memory = buffers_.back()();
  }

  Queue queue_;
  Call call_;
  std::vector<cl::Buffer> buffers_;
  std::unique_ptr<SolutionSequence> sequence_;
};

Measurement measure(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                    Precision precision, Limit limit) {
  for (std::size_t n = first_size;; n *= 2) {
    Trial trial(resolver, context, device, precision, limit, n);
    trial.milliseconds();  // the first run compiles and touches memory
    const double best =
        std::min({trial.milliseconds(), trial.milliseconds(), trial.milliseconds()});
    if (best < least_milliseconds && n < most_size) continue;
    const double megaflops = trial.multiply_adds() / (best * 1e3);
    return {{{"megaflops", std::max<std::int64_t>(std::llround(megaflops), 1)}},
            static_cast<std::int64_t>(n),
            best,
            Measurement::Of::kiln,
            "measured",
            {}};
  }
}

}  // namespace

Request speed_request(Precision precision, Limit limit) {
  Request request;
  request.family = "blas.speed";
  request.problem_class = (limit == Limit::arithmetic ? "arithmetic " : "memory ") +
                          std::string(*kdb::type_name(kdb_type(precision)));
  request.label = request.family;
  return request;
}

double device_speed(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                    Precision precision, Limit limit) {
  const Request request = speed_request(precision, limit);
  const auto known = [&] {
    return static_cast<double>(resolver.choose(request, *device).parameters.get("megaflops", 0));
  };
  if (known() <= 0)
    resolver.record(request, *device, {measure(resolver, context, device, precision, limit)});
  return known();
}

}  // namespace kiln::blas
