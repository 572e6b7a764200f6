#include "rival/machine.hpp"

namespace kiln::rival {
namespace {

std::unique_ptr<Resolver> without_store() {
  return std::make_unique<Resolver>(nullptr, CompilePolicy::here);
}

}  // namespace

Machine::Machine(const std::string& device)
    : own_(without_store()),
      device_(value_or_throw(select_devices(device)).front()),
      context_(kiln::Context::create({device_})),
      queue_(context_, device_),
      library_(*own_) {}

Machine::Machine(DevicePtr device, Resolver& resolver)
    : device_(std::move(device)),
      context_(kiln::Context::create({device_})),
      queue_(context_, device_),
      library_(resolver) {}

}  // namespace kiln::rival
