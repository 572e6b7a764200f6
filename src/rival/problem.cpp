#include "rival/problem.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"
#include "blas/call/validate.hpp"
#include "blas/tune/blas_tunable.hpp"

namespace kiln::rival {

using namespace kiln::blas;

Call square(Call call, std::size_t n) {
  call.m = call.n = call.k = n;
  return call;
}

Problem::Problem(Machine& machine, const Call& call) : machine_(machine), call_(contiguous(call)) {
  const Device& device = machine_.device();
  require_room(call_, device.max_allocation, device.global_memory);
  for (const blas::Use& use : blas::Uses(call_)) add(use);
}

void Problem::add(const blas::Use& use) {
  std::size_t bytes = 0;
  bytes_of(use, call_[use.slot], bytes);  // no overflow: there is room for it
  // An inner size of 0 has no elements, and CLBlast's norms want room for a complex number.
  const std::size_t room = std::max<std::size_t>(bytes, 64);
  const std::shared_ptr<void> block(std::aligned_alloc(4096, (room + 4095) / 4096 * 4096),
                                    std::free);
  if (!block)
    throw Error(Errc::bad_input,
                "there is no memory for an argument of " + std::to_string(bytes) + " bytes");
  fill_at_random(call_, use, block.get());
  auto buffer = make_buffer(*machine_.context(), machine_.device(), block.get(), room);
  if (!buffer.is_host_memory)
    check_cl(::clEnqueueWriteBuffer(machine_.queue(), buffer.cl(), CL_TRUE, 0, room, block.get(), 0,
                                    nullptr, nullptr),
             "clEnqueueWriteBuffer");
  call_[use.slot].memory = buffer.cl();
  const auto slot = static_cast<std::size_t>(use.slot);
  memory_[slot] = block.get();
  bytes_[slot] = bytes;
  blocks_.push_back(block);
  buffers_.push_back(std::move(buffer));
}

bool Problem::is_in_host_memory() const {
  return std::all_of(buffers_.begin(), buffers_.end(),
                     [](const Buffer& buffer) { return buffer.is_host_memory; });
}

double Problem::run(int calls) {
  const cl_command_queue queue = machine_.queue();
  const auto start = now_ns();
  for (int i = 0; i < calls; ++i) {
    const Status status = machine_.library().run(call_, {{&queue, 1}});
    throw_refusal(call_, status);
  }
  check_cl(::clFinish(queue), "clFinish");
  return static_cast<double>(now_ns() - start) * 1e-6 / calls;
}

Machine::Machine(const std::string& device)
    : Machine(Runtime(std::make_shared<Runtime::State>(
          std::make_unique<Resolver>(nullptr, CompilePolicy::here), device))) {}

}  // namespace kiln::rival
