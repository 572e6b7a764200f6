#include "mesh/object/copy_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/statistics.hpp"
#include "kernel/launch.hpp"

namespace kiln::mesh {
namespace {

/// A work-item copies pieces of 16 double8 on CPUs, and neighbours copy neighbouring numbers on
/// GPUs: what each likes best. CPUs write past their caches, as a large copy should.
constexpr const char* copy_text = R"(
__kernel void copy_pieces(__global const double8 *from, __global double8 *to, long n) {
  const long begin = get_global_id(0) * 1024, end = min(begin + 1024, n);
  for (long k = begin; k < end; ++k) STORE(from[k], to + k);
}
__kernel void copy_strided(__global const double2 *from, __global double2 *to, long n) {
  for (long k = get_global_id(0); k < n; k += get_global_size(0)) to[k] = from[k];
}
)";

}  // namespace

double measure_copy_bandwidth(Resolver& resolver, const Queue& queue, std::size_t array) {
  const Device& device = *queue.device();
  const bool is_cpu = device.type == Device::Type::cpu;
  // Far larger than any cache, and a small part of the memory.
  const std::size_t large = is_cpu ? std::size_t{256} << 20 : std::size_t{1} << 30;
  const std::size_t wanted = array > 0 ? array : large;
  const std::size_t bytes =
      std::min<std::size_t>(wanted, std::min(device.max_allocation, device.global_memory / 8)) /
      65536 * 65536;
  const cl::Buffer from(queue.context()->cl(), CL_MEM_READ_WRITE, bytes);
  const cl::Buffer to(queue.context()->cl(), CL_MEM_READ_WRITE, bytes);
  for (const auto& buffer : {from, to}) {
    const cl_double zero = 0;
    check_cl(::clEnqueueFillBuffer(queue.cl()(), buffer(), &zero, sizeof zero, 0, bytes, 0, nullptr,
                                   nullptr),
             "clEnqueueFillBuffer");
  }
  double best = 0;
  const std::vector<std::string> stores =
      is_cpu ? std::vector<std::string>{"(*(b)=(a))", "__builtin_nontemporal_store(a,b)"}
             : std::vector<std::string>{"(*(b)=(a))"};
  for (const auto& store : stores) {
    Request request;
    request.family = "source";
    request.source = value_or_throw(
        from_text("#define STORE(a, b) " + store + "\n" + copy_text, "copy bandwidth"));
    request.label = "copy bandwidth";
    Program& program = resolver.resolve(request, queue.context(), queue.device());
    Launch launch(queue.context(), program, is_cpu ? "copy_pieces" : "copy_strided");
    const std::size_t width = is_cpu ? 64 : 16;
    const auto count = static_cast<cl_long>(bytes / width);
    launch.set_buffer(0, from);
    launch.set_buffer(1, to);
    launch.set_scalar(2, count);
    NDRange range;
    range.local[0] = is_cpu ? 1 : 256;
    range.global[0] = is_cpu ? (bytes / width + 1023) / 1024
                             : std::size_t{device.compute_units} * 32 * range.local[0];
    launch.set_range(range);
    constexpr int rounds = 11;
    std::vector<double> rates;
    for (int round = 0; round < rounds; ++round) {
      cl::Event event;
      launch.enqueue(queue.cl()(), {}, &event());
      event.wait();
      const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
      const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      if (end > start)
        rates.push_back(2e9 * static_cast<double>(bytes) / static_cast<double>(end - start));
    }
    if (!rates.empty()) best = std::max(best, median(rates));
  }
  return best;
}

}  // namespace kiln::mesh
