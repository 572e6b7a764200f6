#include "rival/problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/clock.hpp"
#include "blas/api/refusal.hpp"
#include "blas/api/room.hpp"

namespace kiln::rival {

using namespace kiln::blas;

namespace {

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

Call square(Call call, std::size_t n) {
  call.m = call.n = call.k = n;
  return call;
}

Problem::Problem(Machine& machine, const Call& call) : machine_(machine), call_(contiguous(call)) {
  const Device& device = machine_.device();
  require_room(call_, device.max_allocation, device.global_memory);
  for (const Use& use : Uses(call_)) add(use);
}

void Problem::add(const Use& use) {
  std::size_t elements = 0;
  extent_of(use, call_[use.slot], elements);  // no overflow: there is room for it
  const std::size_t bytes = elements * use.element;
  // An inner size of 0 has no elements, and CLBlast's norms want room for a complex number.
  const std::size_t room = std::max<std::size_t>(bytes, 64);
  const std::shared_ptr<void> block(std::aligned_alloc(4096, (room + 4095) / 4096 * 4096),
                                    std::free);
  if (!block)
    throw Error(Errc::bad_input,
                "there is no memory for an argument of " + std::to_string(bytes) + " bytes");
  fill(use, block.get());
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

void Problem::fill(const Use& use, void* block) const {
  const std::size_t count = use.length * use.lines, parts = is_complex(call_.precision) ? 2 : 1;
  const bool heavy = is_triangular(call_.routine) && use.slot == Slot::a;
  const std::size_t n =
      call_.routine < Routine::gemm || call_.side == Side::right ? call_.n : call_.m;
  const auto numbers = [&](auto* to) {
    using R = std::remove_pointer_t<decltype(to)>;
    // Results that are no vector's elements: an index, a norm.
    const std::size_t reals = count * use.element / sizeof(R);
    random_numbers(to, reals, heavy ? R(1) / static_cast<R>(n) : R(1),
                   1 + static_cast<unsigned>(use.slot));
    if (heavy)
      for (std::size_t i = 0; i < n; ++i) to[diagonal(call_, use, n, i) * parts] = 1;
  };
  if (is_double(call_.precision) && use.element >= sizeof(double))
    numbers(static_cast<double*>(block));
  else
    numbers(static_cast<float*>(block));
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

}  // namespace kiln::rival
