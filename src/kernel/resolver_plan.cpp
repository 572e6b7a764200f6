#include <fmt/format.h>

#include "base/log.hpp"
#include "kernel/resolver.hpp"
#include "kernel/work.hpp"

namespace kiln {

PlanPtr Resolver::resolve_plan(const PlanRequest& request, const std::function<PlanPtr()>& make,
                               Explanation* explanation) {
  const Key key = key_of(request.canonical);
  if (explanation != nullptr) {
    explanation->what = request.label;
    explanation->key = key.hex();
  }
  const auto held = [&]() -> PlanPtr {
    const auto* known = plans_.find(key);
    return known != nullptr ? known->lock() : nullptr;
  };
  {
    StepTimer step(explanation, "memory");
    if (auto plan = held()) {
      step.answered();
      return plan;
    }
    step.missed("not held in this process");
  }
  std::promise<PlanPtr> promise;
  std::shared_future<PlanPtr> others;
  {
    const std::lock_guard lock(mutex_);
    const auto [entry, first] = making_plans_.try_emplace(key, promise.get_future().share());
    if (!first) others = entry->second;
  }
  if (others.valid()) return others.get();

  const auto leave = [&] {
    const std::lock_guard lock(mutex_);
    making_plans_.erase(key);
  };
  const auto load = [&]() -> PlanPtr {
    if (!store_) return nullptr;
    const auto lookup = ask_store(Kind::plan, key, request.canonical, explanation);
    if (!lookup.entry) return nullptr;
    if (lookup.entry->metadata.schema != request.schema) {
      take_back_answer(explanation, "another schema");
      return nullptr;
    }
    auto plan = Plan::from_block(lookup.entry->content);
    if (!plan) {
      take_back_answer(explanation, plan.error().message());
      return nullptr;
    }
    return *plan;
  };
  const auto make_and_keep = [&] {
    StepTimer step(explanation, "make");
    PlanPtr plan = make();
    if (!plan) throw Error(Errc::internal, request.label + ": no plan was made");
    step.answered();
    if (store_)
      writes_.add({Kind::plan, key, plan->block().size(),
                   [this, request, key, plan, seconds = step.seconds()] {
                     write_plan(request, key, *plan, seconds);
                   }});
    return plan;
  };
  try {
    PlanPtr plan = held();  // another thread may have published before the reservation
    if (!plan) plan = load();
    if (!plan) plan = make_and_keep();
    using Table = decltype(plans_);
    plans_.insert(key, plan, Table::OnExisting::replace);
    promise.set_value(plan);
    leave();
    return plan;
  } catch (...) {
    promise.set_exception(std::current_exception());
    leave();
    throw;
  }
}

void Resolver::write_plan(const PlanRequest& request, const Key& key, const Plan& plan,
                          double seconds) {
  const Metadata metadata{request.schema, request.label, "", seconds};
  if (auto kept = store_->put(Kind::plan, key, request.canonical, plan.block(), metadata); !kept)
    log(LogLevel::warning,
        fmt::format("plan {} is not kept: {}", request.label, kept.error().message()));
}

}  // namespace kiln
