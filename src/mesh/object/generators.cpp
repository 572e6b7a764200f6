#include "mesh/object/generators.hpp"

#include <algorithm>
#include <memory>

#include "kernel/resolver.hpp"
#include "mesh/matrix/matrix_generator.hpp"

namespace kiln::mesh {

LoopDevice loop_device_of(const Device& device) {
  LoopDevice facts;
  facts.cpu = device.type == Device::Type::cpu;
  facts.nvidia = device.vendor.find("NVIDIA") != std::string::npos;
  facts.wide_atomics = device.handle.getInfo<CL_DEVICE_EXTENSIONS>().find(
                           "cl_khr_int64_base_atomics") != std::string::npos;
  // A virtual machine's few cores see the whole cache of a processor that others use as well.
  const auto all_caches =
      static_cast<std::int64_t>(device.handle.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>());
  facts.cached = std::min<std::int64_t>(all_caches, std::int64_t{device.compute_units} << 23);
  facts.most_group = static_cast<int>(std::min<std::size_t>(device.max_work_group_size, 1024));
  return facts;
}

void add_generators(Resolver& resolver) {
  resolver.add(std::make_unique<LoopGenerator>());
  resolver.add(std::make_unique<MatrixGenerator>());
}

}  // namespace kiln::mesh
