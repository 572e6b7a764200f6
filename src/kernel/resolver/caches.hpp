#pragma once

#include <memory>
#include <tuple>
#include <utility>

#include "kernel/program/plan.hpp"
#include "kernel/program/program.hpp"
#include "kernel/resolver/explain.hpp"
#include "store/layer/memory_layer.hpp"
#include "store/layer/single_flight.hpp"

// What the Resolver has in memory. What is not there is made by one caller, for all that want it
// meanwhile. A look-up takes no lock and allocates nothing.
namespace kiln {

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
               Make&& make) {
    {
      StepTimer step(explanation, "memory");
      if (Program* program = find(key, context, device)) {
        step.answered();
        return *program;
      }
      step.missed("not resolved before in this process");
    }
    return *making_.run({key, &context, device.handle()}, [&] {
      // Another thread may have published it since the look-up.
      if (Program* program = find(key, context, device)) return program;
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
  PlanPtr get(const Key& key, Explanation* explanation, Make&& make) {
    {
      StepTimer step(explanation, "memory");
      if (PlanPtr plan = find(key)) {
        step.answered();
        return plan;
      }
      step.missed("not held in this process");
    }
    return making_.run(key, [&] {
      PlanPtr plan = find(key);  // another thread may have published it since the look-up
      if (!plan) {
        using Table = decltype(plans_);
        plans_.insert(key, plan = make(), Table::OnExisting::replace);
      }
      return plan;
    });
  }

 private:
  PlanPtr find(const Key& key) const {
    const auto* known = plans_.find(key);
    return known != nullptr ? known->lock() : nullptr;
  }
  MemoryLayer<Key, std::weak_ptr<const Plan>, KeyHash> plans_;
  SingleFlight<Key, PlanPtr> making_;
};

}  // namespace kiln
