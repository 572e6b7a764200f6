// What Kiln puts on top of the OpenCL calls of one launch: the same kernel, enqueued and waited
// for, through a Launch and by hand. Each side has its own context, queue, program and buffers.
#include <fmt/format.h>

#include <array>

#include "base/clock.hpp"
#include "base/os/file.hpp"
#include "device/context.hpp"
#include "frame/statistics.hpp"
#include "kernel/program/launch.hpp"
#include "kernel/resolver/resolver.hpp"
#include "spec/bars.hpp"
#include "spec/example.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {

namespace {

constexpr std::size_t kDispatchItems = 1024;
constexpr std::size_t kLocal = 64;
constexpr int kDispatchPairs = 3000;
constexpr int kBlock = 8;  // launches in one sample: a launch alone is near the clock's own cost

/// As a programmer writes it, with the C interface and every argument set beforehand.
class ByHand {
 public:
  ByHand(cl_device_id device, const std::string& text) {
    cl_int status = 0;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check_cl(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
    check_cl(status, "clCreateCommandQueue");
    const char* lines = text.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &lines, nullptr, &status);
    check_cl(status, "clCreateProgramWithSource");
    check_cl(clBuildProgram(program_, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "vector_add", &status);
    check_cl(status, "clCreateKernel");
    for (cl_uint i = 0; i < 3; ++i) {
      buffers_[i] = clCreateBuffer(context_, CL_MEM_READ_WRITE, kDispatchItems * sizeof(float),
                                   nullptr, &status);
      check_cl(status, "clCreateBuffer");
      check_cl(clSetKernelArg(kernel_, i, sizeof(cl_mem), &buffers_[i]), "clSetKernelArg");
    }
    const cl_int count = kDispatchItems;
    check_cl(clSetKernelArg(kernel_, 3, sizeof count, &count), "clSetKernelArg");
  }
  ~ByHand() {
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  void run(std::size_t global = kDispatchItems) {
    check_cl(
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &kLocal, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
    check_cl(clFinish(queue_), "clFinish");
  }

 private:
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::array<cl_mem, 3> buffers_{};
};

/// Through Kiln: its own queue (which keeps time stamps), its program, its Launch.
class ByKiln {
 public:
  ByKiln(const Context& bench, const DevicePtr& device)
      : example_(bench, "vector_add", kDispatchItems),
        job_(example_.job()),
        queue_(kiln::Context::create({device}), device),
        program_(resolver_.resolve(job_.request, queue_.context(), device)),
        launch_(queue_.context(), program_, job_.kernel) {
    for (unsigned i = 0; i < 3; ++i) {
      const auto data = std::get<BufferArgument>(job_.arguments[i]).data;
      buffers_[i] = make_buffer(*queue_.context(), *device, data.data(), data.size());
      launch_.set_buffer(i, buffers_[i].cl);
    }
    launch_.set_scalar(3, std::get<ScalarArgument>(job_.arguments[3]).value);
    launch_.set_range(job_.range);
  }

  void run() {
    launch_.enqueue(queue_.cl()());
    check_cl(clFinish(queue_.cl()()), "clFinish");
  }

 private:
  Example example_;
  Job job_;
  Resolver resolver_{nullptr};
  Queue queue_;
  kiln::Program& program_;
  Launch launch_;
  std::array<Buffer, 3> buffers_;
};

/// Microseconds of one launch, over a block of them.
template <class Run>
Sample block_of(Run run) {
  return [run]() -> tl::expected<double, std::string> {
    const auto start = now_ns();
    for (int i = 0; i < kBlock; ++i) run();
    return static_cast<double>(now_ns() - start) * 1e-3 / kBlock;
  };
}

Outcome dispatch_time(const Context& bench) {
  use_own_driver_cache();
  const auto device = value_or_throw(select_devices("cpu")).front();
  ByHand hand(device->handle(),
              value_or_throw(read_text(bench.source / "examples/kernels/vector_add.cl")));
  ByKiln kiln(bench, device);
  const Sample by_hand = block_of([&] { hand.run(); });
  auto figure = ratio(value_of(interleave(block_of([&] { kiln.run(); }), by_hand, kDispatchPairs,
                                          kDispatchPairs / 10)),
                      "us");
  // One work-group of the same kernel: what any launch costs, and so the floor of both sides.
  const auto floor = value_of(interleave(block_of([&] { hand.run(kLocal); }), by_hand, 300, 10));
  figure.detail += fmt::format(", floor (one work-group) {:.4g} us", median(floor.first));
  return figure;
}

}  // namespace

Bar dispatch_bar() {
  return {"spec/dispatch",
          "launch and wait, VectorAdd n=1024, against the same OpenCL calls by hand",
          Holds::at_most,
          1.05,
          "x",
          dispatch_time};
}

}  // namespace kiln::bench
