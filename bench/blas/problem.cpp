#include "blas/problem.hpp"

#include <cstdlib>
#include <cstring>
#include <random>

#include "base/clock.hpp"
#include "blas/uses.hpp"

namespace kiln::bench {

using namespace kiln::blas;

BlasMachine::BlasMachine(const std::string& device)
    : device_(value_or_throw(select_devices(device)).front()),
      context_(kiln::Context::create({device_})),
      queue_(std::make_unique<Queue>(context_, device_)),
      resolver_(nullptr, CompilePolicy::here),
      library_(resolver_) {}

namespace {

template <class R>
void fill(R* to, std::size_t reals, std::size_t n, std::size_t parts, bool heavy_diagonal) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<R> number(-1, 1);
  const R scale = heavy_diagonal ? R(1) / static_cast<R>(n) : R(1);
  for (std::size_t i = 0; i < reals; ++i) to[i] = number(random) * scale;
  if (heavy_diagonal)
    for (std::size_t i = 0; i < n; ++i) to[i * (n + 1) * parts] = 1;
}

}  // namespace

BlasProblem::BlasProblem(BlasMachine& machine, Call call, std::size_t n)
    : machine_(machine), call_(call) {
  call_.m = call_.n = call_.k = n;
  const bool triangular = call_.routine == Routine::trmm || call_.routine == Routine::trsm ||
                          call_.routine == Routine::trsv;
  for (const Use& use : Uses(call_)) {
    call_[use.slot].stride = use.form == Use::Form::matrix   ? static_cast<std::int64_t>(n)
                             : use.form == Use::Form::vector ? 1
                                                             : 0;
    std::size_t elements = 0;
    extent_of(use, call_[use.slot], elements);
    const std::size_t bytes = elements * use.element;
    std::shared_ptr<void> block(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), std::free);
    const bool heavy = triangular && use.slot == Slot::a;
    const std::size_t parts = is_complex(call_.precision) ? 2 : 1;
    if (is_double(call_.precision))
      fill(static_cast<double*>(block.get()), bytes / sizeof(double), n, parts, heavy);
    else
      fill(static_cast<float*>(block.get()), bytes / sizeof(float), n, parts, heavy);
    auto buffer = make_buffer(*machine.context(), machine.device(), block.get(), bytes);
    if (!buffer.is_host_memory)
      check_cl(::clEnqueueWriteBuffer(machine.queue(), buffer.cl(), CL_TRUE, 0, bytes, block.get(),
                                      0, nullptr, nullptr),
               "clEnqueueWriteBuffer");
    call_[use.slot].memory = buffer.cl();
    const auto slot = static_cast<std::size_t>(use.slot);
    memory_[slot] = block.get();
    bytes_[slot] = bytes;
    blocks_.push_back(std::move(block));
    buffers_.push_back(std::move(buffer));
  }
}

double BlasProblem::traffic() const {
  double bytes = 0;
  for (const Use& use : Uses(call_)) {
    const double all = static_cast<double>(bytes_[static_cast<std::size_t>(use.slot)]);
    const bool half =
        use.slot == Slot::a && (call_.routine == Routine::symv || call_.routine == Routine::hemv ||
                                call_.routine == Routine::trsv);
    bytes += (half ? all / 2 : all) * (use.access == Use::Access::both ? 2 : 1);
  }
  return bytes;
}

double BlasProblem::operations() const {
  const double n = static_cast<double>(call_.n), cube = n * n * n;
  const double products = is_complex(call_.precision) ? 4 : 1;
  switch (call_.routine) {
    case Routine::gemm:
    case Routine::symm:
    case Routine::hemm:
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * cube * products;
    default:
      return cube * products;
  }
}

double BlasProblem::run(int calls) {
  const cl_command_queue queue = machine_.queue();
  const auto start = now_ns();
  for (int i = 0; i < calls; ++i) {
    const Status status = machine_.library().run(call_, {{&queue, 1}});
    if (status != Status::success) throw Error(Errc::device, text_of(status));
  }
  check_cl(::clFinish(queue), "clFinish");
  return static_cast<double>(now_ns() - start) * 1e-6 / calls;
}

}  // namespace kiln::bench
