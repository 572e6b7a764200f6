#include "kernel/traits/worker_threads.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "device/pinned_workers.hpp"

namespace kiln {
namespace {

constexpr const char* native_kernels = "native kernels";

Finding try_workers(const Context& context, const DevicePtr& device) {
  const WorkersSeen seen = look_at_workers(context, device);
  if (seen.on_caller)
    return {false, "functions run on the thread that waits for them, which is not the driver's"};
  // A busy machine hides threads; what a later process sees may be all of them.
  return {true, fmt::format("on {} threads of {}", seen.threads, device->compute_units),
          seen.threads == device->compute_units};
}

}  // namespace

void pin_workers_as_found(DriverFindings& findings, const Context& context,
                          const DevicePtr& device) {
  try {
    if (!has_workers_to_pin(*device)) return;
    const auto found = findings.get(topics::threads, *device, {native_kernels}, [&](const auto&) {
      return Findings{{native_kernels, try_workers(context, device)}};
    });
    const auto answer = found.find(native_kernels);
    if (answer != found.end() && answer->second.holds) pin_workers(context, device);
  } catch (const std::exception&) {
    log_failure("the driver's threads are not pinned");
  }
}

}  // namespace kiln
