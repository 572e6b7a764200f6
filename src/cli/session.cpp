#include "cli/session.hpp"

#include <fmt/format.h>

#include "cli/store_settings.hpp"

namespace kiln::cli {
namespace {

CompilePolicy compile_policy(const Context& context) {
  const std::string& how = context.text("compile");
  return how == "beside" ? CompilePolicy::beside
         : how == "here" ? CompilePolicy::here
                         : CompilePolicy::apart;
}

}  // namespace

std::unique_ptr<Resolver> make_resolver(const Context& context) {
  return make_resolver(context, value_or_throw(open_store(store_settings_of(context))));
}

std::unique_ptr<Resolver> make_resolver(const Context& context, std::unique_ptr<Layer> store) {
  return std::make_unique<Resolver>(std::move(store), compile_policy(context));
}

Session::Session(const Context& context, Alone alone)
    : device_list_(context.text("devices")),
      resolver_(make_resolver(context)),
      halve_(alone == Alone::halved && context.origin("devices").from == Origin::From::fallback) {}

Session::~Session() = default;

const std::vector<DevicePtr>& Session::devices() {
  if (devices_.empty()) {
    failed_ = true;
    devices_ = value_or_throw(select_devices(device_list_));
    if (halve_ && devices_.size() == 1)
      if (auto halves = partition_equally(devices_.front(), 2)) devices_ = *std::move(halves);
    failed_ = false;
  }
  return devices_;
}

const std::vector<Queue>& Session::queues() {
  if (!queues_.empty()) return queues_;
  std::vector<Queue> made;
  const auto& chosen = devices();
  failed_ = true;
  for (const auto& device : chosen) made.emplace_back(kiln::Context::create({device}), device);
  failed_ = false;
  return queues_ = std::move(made);
}

std::string Session::lost_device() const {
  for (const Queue& queue : queues_)
    if (::clEnqueueMarkerWithWaitList(queue.cl()(), 0, nullptr, nullptr) != CL_SUCCESS ||
        ::clFinish(queue.cl()()) != CL_SUCCESS)
      return queue.device()->name;
  return {};
}

Session::Failure Session::failure(const Error& error, std::size_t left) const {
  const std::string lost = error.code() == Errc::device ? lost_device() : "";
  if (lost.empty()) return {error};
  Failure told{Error(error.code(), fmt::format("{}; {} takes no more work of this process",
                                               error.message(), lost))};
  if (left > 0)
    told.end.emplace(
        Errc::device,
        fmt::format("{} more {} left out, since {} takes no more work (kiln run --isolate "
                    "has a process for each)",
                    left, left == 1 ? "run was" : "runs were", lost));
  return told;
}

}  // namespace kiln::cli
