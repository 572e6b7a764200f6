#include <fmt/format.h>

#include <set>

#include "schedule/proof.hpp"
#include "spec/run/arrays.hpp"
#include "spec/run/job.hpp"
#include "spec/run_spec.hpp"

namespace kiln::spec {
namespace {

/// A spec made ready: one set of arrays a CoRun.
struct Prepared {
  Spec spec;
  BoundSpec bound;
  SourcePtr source;
};

Prepared prepare(const std::filesystem::path& file, const VerifyOptions& options) {
  Prepared ready{value_or_throw(load_spec(file, options.dialect)), {}, nullptr};
  if (is_part_of_graph(ready.spec))
    throw Error(
        Errc::unsupported,
        file.string() + ": the kernel is part of a graph; only single kernels are verified");
  ready.bound = value_or_throw(bind(ready.spec, {options.set, options.set_if}));
  ready.source = value_or_throw(load_kernel_source(ready.spec, options.source_folders));
  return ready;
}

constexpr CoRun::Options merged{.always_merge = true};

/// For a reference run on one device; with guard zones around the buffers, if asked for.
CoRun::Options plain_options(const VerifyOptions& options) {
  CoRun::Options result = merged;
  if (options.bounds == Bounds::checked) result.memory = Placement::OwnMemory::guarded;
  return result;
}

/// One way of running the spec, with arrays of its own.
class Runner {
 public:
  Runner(const Prepared& ready, Resolver& resolver, const std::vector<Queue>& queues,
         CoRun::Options options)
      : arrays_(value_or_throw(Arrays::make(ready.bound, 0, {}))),
        run_(resolver, queues,
             value_or_throw(make_job(ready.spec, ready.bound, ready.source, arrays_)), options) {}
  CoRun& run() { return run_; }
  const Arrays& arrays() const { return arrays_; }

 private:
  Arrays arrays_;
  CoRun run_;
};

/// The whole runs on one device of each kind.
class PlainRuns {
 public:
  PlainRuns(const Prepared& ready, Resolver& resolver, const std::vector<Queue>& queues,
            const CoRun::Options& options)
      : bound_(ready.bound) {
    std::set<std::string> kinds;
    for (const auto& queue : queues) {
      if (!kinds.insert(queue.device()->fingerprint()).second) continue;
      runs_.push_back(
          std::make_unique<Runner>(ready, resolver, std::vector<Queue>{queue}, options));
      auto& run = runs_.back()->run();
      check_job_types(ready.bound, run.job(), resolver, queue);
      run.run_on(0);
    }
  }

  /// Where one more run on one device differs from these already; empty: nowhere. What a kernel
  /// makes of clocks, addresses or memory that was never written is not the split's doing.
  std::string difference_of_its_own(const Prepared& ready, Resolver& resolver, const Queue& queue,
                                    double rtol) const {
    Runner again(ready, resolver, {queue}, merged);
    again.run().run_on(0);
    return difference(again.arrays(), rtol);
  }

  /// Where an element is none of the plain runs'; empty: nowhere.
  std::string difference(const Arrays& actual, double rtol) const {
    for (const auto& argument : bound_.arguments) {
      if (argument.kind != ArgumentKind::output && argument.kind != ArgumentKind::inout) continue;
      std::vector<ByteView> expected;
      for (const auto& run : runs_) expected.push_back(run->arrays().at(argument.position).view());
      const auto text =
          first_stranger(argument.type, expected, actual.at(argument.position).view(), rtol);
      if (!text.empty()) return fmt::format("argument {}: {}", argument.position, text);
    }
    return "";
  }

 private:
  const BoundSpec& bound_;
  std::vector<std::unique_ptr<Runner>> runs_;
};

/// All the ways in which Kiln may run a split.
class SplitRuns {
 public:
  SplitRuns(const Prepared& ready, Resolver& resolver, const std::vector<Queue>& queues)
      : ready_(ready),
        resolver_(resolver),
        queue_(queues.front()),
        merged_(ready, resolver, queues, merged),
        usual_(ready, resolver, queues, {}),
        copied_(ready, resolver, queues, {.memory = Placement::OwnMemory::always}) {}

  Verdict verify(const Partition& split, const PlainRuns& plain, double rtol) {
    Verdict verdict{split.text(), "equal", ""};
    for (Runner* runner : {&merged_, &usual_, &copied_}) {
      if (runner == &copied_) prove(split);
      const RunReport outcome = run_partition(runner->run(), split);
      if (!outcome.reason.empty()) {
        verdict.outcome = "refused";
        verdict.reason = outcome.reason;
      }
      const auto wrong = plain.difference(runner->arrays(), rtol);
      if (wrong.empty()) continue;
      const auto own = plain.difference_of_its_own(ready_, resolver_, queue_, rtol);
      return {split.text(), "wrong",
              own.empty() ? wrong : "two runs on one device differ already: " + own};
    }
    return verdict;
  }

 private:
  /// Shows at this split's cuts which buffers need only their slices; the store remembers it.
  void prove(const Partition& split) {
    const bool fixed =
        split.kind == Partition::Kind::share_class || split.kind == Partition::Kind::weights;
    CoRun& run = copied_.run();
    if (!fixed || !run.provable()) return;
    const auto weights = value_or_throw(split.weights_for(run.device_count()));
    Slices slices = prove_slices(resolver_, queue_, run.job(), cut(run.groups(), weights));
    add_proof(resolver_, run.job(), {.conflict = "", .conflict_free_step = 0, .slices = slices});
    run.use_slices(std::move(slices));
  }

  const Prepared& ready_;
  Resolver& resolver_;
  Queue queue_;
  Runner merged_, usual_, copied_;
};

}  // namespace

void verify_spec(const std::filesystem::path& file, const VerifyOptions& options,
                 const std::vector<Partition>& splits, Runtime::State& runtime,
                 const std::function<void(const Verdict&)>& report) {
  Resolver& resolver = runtime.resolver();
  const Prepared ready = prepare(file, options);
  const PlainRuns plain(ready, resolver, runtime.queues(), plain_options(options));
  SplitRuns runs(ready, resolver, runtime.queues());
  for (const auto& split : splits) report(runs.verify(split, plain, options.rtol));
}

std::vector<Partition> splits_to_verify(const std::vector<std::string>& words) {
  std::vector<Partition> splits;
  for (const auto& word : words) splits.push_back(value_or_throw(Partition::parse(word)));
  if (splits.empty())
    for (int share = 0; share <= 10; ++share)
      splits.push_back(value_or_throw(Partition::parse(std::to_string(share))));
  return splits;
}

std::vector<Verdict> verify(const Runtime& runtime, const std::filesystem::path& file,
                            const VerifyOptions& options) {
  std::vector<Verdict> verdicts;
  verify_spec(file, options, splits_to_verify(options.splits), runtime.state(),
              [&](const Verdict& verdict) {
                verdicts.push_back(verdict);
                if (options.report) options.report(verdict);
              });
  return verdicts;
}

}  // namespace kiln::spec
