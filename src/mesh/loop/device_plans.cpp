#include "mesh/loop/device_plans.hpp"

#include "device/opencl.hpp"

namespace kiln::mesh {
namespace {

using ParameterKind = KernelParameter::Kind;

template <class T>
cl::Buffer upload(const Context& context, std::span<const T> values) {
  // No buffer is of no bytes; nobody reads one that is empty.
  const std::size_t bytes = std::max<std::size_t>(values.size_bytes(), sizeof(T));
  cl_int status = CL_SUCCESS;
  const T none{};
  cl::Buffer buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                    const_cast<T*>(values.empty() ? &none : values.data()), &status);
  check_cl(status, "clCreateBuffer");
  return buffer;
}

std::map<ParameterKind, cl::Buffer> arrays_of(const Context& context, const MeshPlan& plan) {
  std::map<ParameterKind, cl::Buffer> arrays;
  if (plan.scheme() == Scheme::permuted) {
    arrays[ParameterKind::order] = upload(context, plan.order());
    return arrays;
  }
  arrays[ParameterKind::blkmap] = upload(context, plan.blkmap());
  if (plan.scheme() != Scheme::staged) return arrays;
  arrays[ParameterKind::ind_map] = upload(context, plan.ind_map());
  arrays[ParameterKind::ind_sizes] = upload(context, plan.ind_sizes());
  arrays[ParameterKind::ind_offsets] = upload(context, plan.ind_offs());
  arrays[ParameterKind::loc_map] =
      plan.loc_bytes() == 2 ? upload(context, plan.loc_map16()) : upload(context, plan.loc_map32());
  arrays[ParameterKind::element_colours] = upload(context, plan.thrcol());
  arrays[ParameterKind::colour_counts] = upload(context, plan.nthrcol());
  return arrays;
}

}  // namespace

DevicePlanPtr DevicePlans::get(const Context& context, const MeshPlan& plan) {
  const auto known = known_.find(plan.plan().get());
  if (known != known_.end())
    if (auto held = known->second.lock()) return held;
  std::erase_if(known_, [](const auto& one) { return one.second.expired(); });
  auto made = std::make_shared<const DevicePlan>(DevicePlan{plan, arrays_of(context, plan)});
  known_[plan.plan().get()] = made;
  return made;
}

}  // namespace kiln::mesh
