#pragma once

#include <map>
#include <memory>

#include "device/context.hpp"
#include "mesh/code/layout.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// A plan with its arrays on the device, by the kernel parameters that they are for.
struct DevicePlan {
  MeshPlan plan;
  std::map<KernelParameter::Kind, cl::Buffer> arrays;
};
using DevicePlanPtr = std::shared_ptr<const DevicePlan>;

/// The plans that loops of a Session have on its device: loops that share a plan share its arrays,
/// which go with the last of them. One thread.
class DevicePlans {
 public:
  /// Throws kiln::Error where there is no memory.
  DevicePlanPtr get(const Context& context, const MeshPlan& plan);

 private:
  /// By address: nobody else gets it while somebody holds the plan.
  std::map<const Plan*, std::weak_ptr<const DevicePlan>> known_;
};

}  // namespace kiln::mesh
