#pragma once

#include <map>
#include <mutex>
#include <span>
#include <typeindex>
#include <vector>

#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "kiln/runtime.hpp"

namespace kiln {

/// The handles of events, without those that stand for nothing. The events must outlive their use.
inline std::vector<cl_event> handles_of(std::span<const Event> events) {
  std::vector<cl_event> handles;
  for (const Event& event : events)
    if (event.handle() != nullptr) handles.push_back(event.handle());
  return handles;
}

/// What the copies of a Runtime share: the devices that a list names, a queue for each, contexts,
/// and the Resolver. Thread-safe.
struct Runtime::State {
 public:
  /// What a single device is: itself, or two halves of it, so that a split can be shown.
  enum class Single { whole, halved };

  /// `resolver` null: the process's own. The drivers are loaded when devices are first asked for.
  State(std::unique_ptr<Resolver> resolver, std::string device_list, Single single = Single::whole);
  /// Over queues of the application.
  State(std::unique_ptr<Resolver> resolver, std::vector<Queue> queues);

  Resolver& resolver() { return *resolver_; }
  bool has_own_resolver() const { return own_resolver_ != nullptr; }
  /// Whether its contexts are an application's, in which all has to happen.
  bool is_adopted() const { return is_adopted_; }
  /// What a front end keeps for this Resolver, all its users together: made as T(resolver()) at the
  /// first call, gone before the Resolver.
  template <class T>
  T& front_end() {
    const std::lock_guard lock(mutex_);
    auto& kept = front_ends_[typeid(T)];
    if (!kept) kept = std::make_shared<T>(*resolver_);
    return *static_cast<T*>(kept.get());
  }
  /// Throws not_found where the list names none, at each call.
  const std::vector<DevicePtr>& devices();
  /// One a device; made once, so that every run shares contexts and programs.
  const std::vector<Queue>& queues();
  /// The queue for a handle: one of queues(), or another one of one of their contexts. Null: the
  /// first one, and no other is made for it. Throws bad_input for others.
  Queue queue(cl_command_queue handle);

  /// Whether devices were asked for, so that anything may have run.
  bool has_run() const { return has_run_; }
  /// Whether devices() or queues() has failed: no run can then succeed.
  bool has_no_devices() const { return failed_; }
  /// The name of a device that takes no more work of this process, after a kernel that wrote
  /// outside of memory or a reset of its driver; empty where all go on. Waits for what runs on
  /// them.
  std::string lost_device();

 private:
  /// Makes what is missing of the queues of the first `count` devices.
  void make_queues(std::size_t count);
  /// Devices of a platform that work in the host's memory share a context, so that one's commands
  /// can wait for another's; a GPU has one of its own, since making it takes each GPU that is in it
  /// into use.
  ContextPtr context_for(const DevicePtr& device) const;

  // First, so that it goes last: a Resolver outlives the contexts that it makes programs for.
  std::unique_ptr<Resolver> own_resolver_;
  Resolver* resolver_;
  std::string device_list_;
  Single single_ = Single::whole;
  bool is_adopted_ = false;
  std::recursive_mutex mutex_;  ///< of what follows until it is there
  std::vector<DevicePtr> devices_;
  std::vector<Queue> queues_;
  std::map<std::type_index, std::shared_ptr<void>> front_ends_;
  std::atomic<bool> has_run_{false}, failed_{false};
};

}  // namespace kiln
