#pragma once

#include <memory>
#include <tuple>

#include "kernel/program/plan.hpp"
#include "kernel/program/program.hpp"
#include "kernel/resolver/explain.hpp"
#include "store/layer/memory_layer.hpp"
#include "store/layer/single_flight.hpp"

// What the Resolver has in memory. What is not there is made by one caller, for all that want it
// meanwhile. A look-up takes no lock and allocates nothing.
namespace kiln {

/// `find`'s answer, else `make`'s, which it publishes where `find` looks. Both give pointers.
template <class Making, class FlightKey, class Find, class Make>
auto find_or_make(Making& making, const FlightKey& key, Explanation* explanation,
                  const char* absent, const Find& find, const Make& make) {
  {
    StepTimer step(explanation, "memory");
    if (auto found = find()) {
      step.answered();
      return found;
    }
    step.missed(absent);
  }
  return making.run(key, [&] {
    auto found = find();  // another thread may have published it since the look-up
    return found ? found : make();
  });
}

/// The programs of contexts. A context owns its programs (ProgramTable), so callers share a making
/// only within one. Thread-safe.
class ProgramCache {
 public:
  Program* find(const Key& key, Context& context, const Device& device) const noexcept {
    const auto* found = programs_of(context).find({key, device.handle()});
    return found == nullptr ? nullptr : found->get();
  }
  /// `make` gives a std::unique_ptr<Program>, or throws.
  template <class Make>
  Program& get(const Key& key, Context& context, const Device& device, Explanation* explanation,
               const Make& make) {
    return *find_or_make(
        making_, std::tuple(key, &context, device.handle()), explanation,
        "not resolved before in this process", [&] { return find(key, context, device); },
        [&] {
          return programs_of(context).insert({key, device.handle()}, make()).get();
        });
  }

 private:
  static decltype(ProgramTable::programs)& programs_of(Context& context) {
    return context.attachment<ProgramTable>().programs;
  }
  SingleFlight<std::tuple<Key, const Context*, cl_device_id>, Program*> making_;
};

/// The plans that are in use. Thread-safe.
class PlanCache {
 public:
  /// `make` gives a PlanPtr, or throws.
  template <class Make>
  PlanPtr get(const Key& key, Explanation* explanation, const Make& make) {
    const auto find = [&] {
      const auto* known = plans_.find(key);
      return known != nullptr ? known->lock() : nullptr;
    };
    return find_or_make(making_, key, explanation, "not held in this process", find, [&] {
      PlanPtr plan = make();
      plans_.insert(key, plan, decltype(plans_)::OnExisting::replace);
      return plan;
    });
  }

 private:
  MemoryLayer<Key, std::weak_ptr<const Plan>, KeyHash> plans_;
  SingleFlight<Key, PlanPtr> making_;
};

}  // namespace kiln
