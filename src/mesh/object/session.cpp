#include "mesh/object/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "base/lifetime.hpp"
#include "device/forked.hpp"
#include "device/pinned_workers.hpp"
#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/matrix/matrix_work.hpp"
#include "mesh/object/copy_bandwidth.hpp"
#include "mesh/object/generators.hpp"
#include "mesh/object/process_resolver.hpp"
#include "store/fork_guard.hpp"
#include "store/local_store.hpp"

namespace kiln::mesh {

std::uint64_t next_identity() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

namespace {

struct StateTypes final : private ForkGuarded {
  StateTypes() { watch(); }
  ~StateTypes() override { unwatch(); }
  std::mutex mutex;
  std::unordered_map<const void*, std::type_index> by_address;

 private:
  void before_fork() override { mutex.lock(); }
  void after_fork() override { mutex.unlock(); }
};

/// Handles may outlive everything else that is static.
StateTypes& state_types() {
  static NeverDestroyed<StateTypes> all;
  return *all;
}

}  // namespace

void LiveStates::add(const void* state, std::type_index type) {
  StateTypes& types = state_types();
  const std::lock_guard lock(types.mutex);
  types.by_address.insert_or_assign(state, type);
}

void LiveStates::remove(const void* state) noexcept {
  StateTypes& types = state_types();
  const std::lock_guard lock(types.mutex);
  types.by_address.erase(state);
}

LiveStates::Lookup::Lookup() : lock_(state_types().mutex) {}

bool LiveStates::Lookup::has(const void* state, std::type_index type) {
  const StateTypes& types = state_types();
  const auto found = types.by_address.find(state);
  return found != types.by_address.end() && found->second == type;
}

Session::Session(const Mesh::Options& given, DevicePtr device)
    : options(given),
      recording(given.timeline ? std::make_unique<Recording>() : nullptr),
      queue(Context::create({device}), device) {
  options.timing = options.timing || options.timeline;
  if (!options.store.empty())
    own_resolver_ = std::make_unique<Resolver>(
        options.store == "off" ? nullptr : open_local_store(options.store));
  resolver_ = own_resolver_ ? own_resolver_.get() : process_resolver();
  plans_ = std::make_unique<PlanSource>(*resolver_);
  add_generator();
  pin_workers(*queue.context(), queue.device());
}

Session::~Session() = default;

void Session::add_generator() {
  static std::once_flag in_process;
  if (own_resolver_)
    add_generators(*own_resolver_);
  else
    std::call_once(in_process, [&] { add_generators(*resolver_); });
}

LoopDevice Session::loop_device() const { return loop_device_of(*queue.device()); }

void Session::part_with(const void* state, bool may_be_written) noexcept {
  bool may_be_used = std::exchange(is_launched_, false) || may_be_written;
  products.part_with(state);
  const auto attempt = [&](const auto& what) {
    try {
      what();
    } catch (...) {
      may_be_used = true;
      if (!pending_) pending_ = std::current_exception();
    }
  };
  attempt([&] { may_be_used = loops.part_with(state) || may_be_used; });
  // In a forked child nothing runs, and waiting for it would not end.
  if (may_be_used && !is_forked_with_drivers())
    attempt([&] { check_cl(::clFinish(queue.cl()()), "clFinish"); });
}

double Session::copy_bandwidth() {
  if (copy_bandwidth_ == 0) copy_bandwidth_ = measure_copy_bandwidth(*resolver_, queue);
  return copy_bandwidth_;
}

void Session::throw_pending() {
  if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
}

}  // namespace kiln::mesh
