#include <map>
#include <mutex>

#include "base/lifetime.hpp"
#include "base/log.hpp"
#include "layer/serve/details.hpp"
#include "layer/serve/opencl_below.hpp"

// The library that serves: its way in, and what all its parts share. libkiln-layer.so loads it when
// it needs it for the first time (interface.hpp).
namespace kiln::layer {

Resolver& resolver() { return Resolver::process(); }

DevicePtr device_of(cl_device_id id) {
  struct Known {
    std::mutex mutex;
    std::map<cl_device_id, DevicePtr> devices;
  };
  static NeverDestroyed<Known> known;
  cl_device_id parent = nullptr;
  check_cl(::clGetDeviceInfo(id, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr),
           "clGetDeviceInfo");
  if (parent != nullptr) return nullptr;
  const std::lock_guard lock(known->mutex);
  auto& device = known->devices[id];
  if (device == nullptr) device = describe_device(cl::Device(id, true));
  return device;
}

StoreUse::~StoreUse() {
  try {
    resolver().finish();
    if (Layer* store = resolver().store()) store->rest();
  } catch (...) {
    log_failure_of("the store");
  }
}

void log_failure_of(const char* what) noexcept { log_failure(what); }

namespace {

const char* build_log_of(Program& program, cl_device_id device) {
  const Details* details = details_of(program);
  if (details == nullptr) return nullptr;
  for (const auto& one : details->devices)
    if (one.device->handle() == device) return one.build_log.c_str();
  return nullptr;
}

const char* attributes_of(Program& program, const char* kernel) {
  const Details* details = details_of(program);
  if (details == nullptr || details->devices.empty()) return nullptr;
  const auto& known = details->devices.front().attributes;
  const auto found = known.find(std::string_view(kernel));
  return found == known.end() ? nullptr : found->second.c_str();
}

constexpr Serve functions{.build = build,
                          .built = built,
                          .compile = compile,
                          .compiled = compiled,
                          .compile_now = compile_now,
                          .compile_log = compile_log,
                          .link = link,
                          .link_now = link_now,
                          .binary = binary,
                          .own_binary = own_binary,
                          .set_constant = set_constant,
                          .build_log = build_log_of,
                          .attributes = attributes_of,
                          .before_launch = before_launch,
                          .after_launch = after_launch,
                          .after_wait = after_wait,
                          .unseen = &unseen_launches,
                          .choose_local = choose_local,
                          .judge = judge,
                          .collect_times = collect_times,
                          .release_events = release_events,
                          .forget_kernel = forget_kernel,
                          .forget = forget};

/// At the end of the process: which entries were used, so that they are not taken for useless ones.
/// It calls nothing of OpenCL, and what it calls of this library is never destroyed.
__attribute__((destructor)) void note_uses() {
  if (own_process != ::getpid()) return;  // a child's copy
  try {
    if (Layer* store = resolver().store()) store->settle();
  } catch (...) {
    log_failure_of("the uses of programs");
  }
}

}  // namespace
}  // namespace kiln::layer

extern "C" __attribute__((visibility("default"))) const kiln::layer::Serve* kiln_layer_serve(
    std::uint32_t version, const cl_icd_dispatch* below) {
  if (version != kiln::layer::interface_version || below == nullptr) return nullptr;
  kiln::layer::below = below;
  try {
    (void)kiln::layer::resolver();
    return &kiln::layer::functions;
  } catch (...) {
    return nullptr;  // a store that cannot be opened
  }
}
