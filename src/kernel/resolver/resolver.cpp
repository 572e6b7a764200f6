#include "kernel/resolver/resolver.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/log.hpp"
#include "store/default_store.hpp"

// The Resolver's way to a program or a plan: memory, then the store, then it is made, by one caller
// and one process at a time. resolver_make.cpp has the steps.
namespace kiln {

Resolver::Resolver(std::unique_ptr<Layer> store, CompilePolicy policy, ShippedRecords* shipped)
    : store_(std::move(store)),
      policy_(policy),
      records_(store_.get(), generators_, shipped),
      findings_(store_.get()) {}

Resolver::~Resolver() { finish(); }

Resolver& Resolver::process() {
  const auto open = [] {
    auto settings = default_store_settings();
    auto store = open_store(settings);
    if (store) return *std::move(store);
    // A wrong setting of a library's user costs him the shared store, not his program.
    log(LogLevel::warning, store.error().message());
    settings.shared.clear();
    return value_or_throw(open_store(settings));
  };
  static Resolver resolver(open(), CompilePolicy::apart, &ShippedRecords::process());
  return resolver;
}

void Resolver::finish() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(background_mutex_);
    threads.swap(background_);
  }
  for (auto& thread : threads) thread.join();
  writes_.finish();
}

const Generator* Generators::of(const Request& request) const {
  const auto* found = request.source ? nullptr : by_family_.find(request.family);
  if (found == nullptr) return nullptr;
  // The version is a part of the Key: a front end that forgot it would get stale programs.
  if ((*found)->version() != request.version)
    throw Error(Errc::internal,
                fmt::format("a Request of version {} for the generator of {}, which has version {}",
                            request.version, request.family, (*found)->version()));
  return found->get();
}

// Programs.

Program& Resolver::resolve(const Request& request, const ChosenParameters& chosen,
                           const ContextPtr& context, const DevicePtr& device,
                           const std::vector<KernelVariant>& wanted, Explanation* explanation) {
  std::optional<EnvironmentExplanation> asked;
  if (explanation == nullptr && explains_by_environment()) explanation = asked.emplace().get();
  if (request.source && request.source->module() != nullptr)
    value_or_throw(takes_module(*device, *request.source->module(), request.source->name()));
  Bytes canonical = canonical_request(request, chosen.parameters, *device);
  const Key key = key_of(canonical);
  if (explanation != nullptr) {
    explanation->what = fmt::format("{} on {}", request.label, device->name);
    explanation->key = key.hex();
    explanation->parameters = chosen;
  }
  Program& program = programs_.get(key, *context, *device, explanation, [&] {
    Work work{request, chosen.parameters,    context,        device, wanted, explanation,
              key,     std::move(canonical), chosen.is_trial};
    if (!load_stored(work) && !load_mounted(work)) make_alone(work);
    return program_of(work);
  });
  if (!chosen.is_trial) program.keep();
  return program;
}

/// Of processes that want one program at the same time, one compiles it; the others wait for it.
void Resolver::make_alone(Work& work) {
  // Longer than any sane compile: a maker that takes longer is given up, and dies unheard.
  constexpr std::chrono::seconds longest_wait{60};
  Reservation& right = work.right;
  const bool is_stored = store_ != nullptr && !work.is_trial &&
                         (!work.device->pocl || policy_ == CompilePolicy::apart);
  if (is_stored) {
    const auto started = now_ns();
    right = store_->reserve(work.key, longest_wait);
    if (right.waited() && work.explanation != nullptr)
      work.explanation->steps.push_back(
          {"wait", right.held(),
           right.held() ? "another process was making it" : "another process made it for too long",
           started, now_ns()});
  }
  // A process that waited in vain makes it as well: two of one are no harm.
  if (right.waited() && load_stored(work)) return;
  if (right.held() && !right.waited()) {
    // It may have been made, and the right given up, between our look-up and now. That it was not
    // there is said already.
    Explanation* told = std::exchange(work.explanation, nullptr);
    const bool there = load_stored(work);
    work.explanation = told;
    if (there) {
      StepTimer(told, store_->name()).answered("another process has just made it");
      return;
    }
  }
  compile(work);
}

std::unique_ptr<Program> Resolver::program_of(Work& work) {
  Program::Parts parts;
  parts.key = work.key;
  parts.canonical = std::move(work.canonical);
  parts.label = work.request.label;
  parts.options = work.request.options;
  parts.device = work.device;
  parts.handle = std::move(work.handle);
  parts.kernels = work.artifact.kernels;
  parts.facts = work.artifact.facts;
  if (work.artifact.form == Artifact::Form::pocl_archive) {
    parts.archive = std::move(work.artifact.binary);
    parts.maker = this;
  }
  parts.keep = std::move(work.keep_later);
  return std::make_unique<Program>(std::move(parts));
}

// Plans.

PlanPtr Resolver::resolve_plan(const PlanRequest& request, const std::function<PlanPtr()>& make,
                               Explanation* explanation) {
  const Key key = key_of(request.canonical);
  if (explanation != nullptr) {
    explanation->what = request.label;
    explanation->key = key.hex();
  }
  return plans_.get(key, explanation, [&] {
    if (PlanPtr stored = load_plan(request, key, explanation)) return stored;
    StepTimer step(explanation, "make");
    PlanPtr plan = make();
    if (!plan) throw Error(Errc::internal, request.label + ": no plan was made");
    step.answered();
    if (store_)
      writes_.add(
          {Kind::plan, key, plan->block().size(),
           [this, request, key, plan, seconds = step.seconds()] {
             if (auto kept = store_->put(Kind::plan, key, request.canonical, plan->block(),
                                         {request.schema, request.label, "", seconds});
                 !kept) {
               // A store that is unusable has logged it once.
               const bool is_told = kept.error().code() == Errc::io;
               log(is_told ? LogLevel::info : LogLevel::warning,
                   fmt::format("{} is not kept: {}", request.label, kept.error().message()));
             }
           }});
    return plan;
  });
}

PlanPtr Resolver::load_plan(const PlanRequest& request, const Key& key, Explanation* explanation) {
  if (!store_) return nullptr;
  const auto lookup = ask_store(Kind::plan, key, request.canonical, explanation);
  if (!lookup.entry) return nullptr;
  if (lookup.entry->metadata.schema != request.schema) {
    take_back_answer(explanation, "another schema");
    return nullptr;
  }
  auto plan = Plan::from_block(lookup.entry->content);
  if (plan) return *plan;
  take_back_answer(explanation, plan.error().message());
  return nullptr;
}

}  // namespace kiln
