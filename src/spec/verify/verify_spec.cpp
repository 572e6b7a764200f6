#include "spec/verify/verify_spec.hpp"

#include <fmt/format.h>

#include <set>

#include "spec/run/arrays.hpp"
#include "spec/run/job.hpp"

namespace kiln::spec {
namespace {

/// A spec made ready: one set of arrays a CoRun.
struct Prepared {
  Spec spec;
  BoundSpec bound;
  SourcePtr source;
};

Prepared prepare(const std::string& file, const VerifyOptions& options) {
  Prepared ready{value_or_throw(load_spec(file, options.dialect)), {}, nullptr};
  if (is_part_of_graph(ready.spec))
    throw Error(Errc::unsupported,
                file + ": is a part of a graph; only single kernels are verified");
  Symbols symbols = options.symbols;
  if (options.dataset > 0) symbols.set_if.insert_or_assign("dataset", expr::Value(options.dataset));
  ready.bound = value_or_throw(bind(ready.spec, symbols));
  ready.source = value_or_throw(load_kernel_source(ready.spec, options.source_dirs));
  return ready;
}

/// One way of running the spec, with arrays of its own.
class Runner {
 public:
  Runner(const Prepared& ready, Resolver& resolver, const std::vector<Queue>& queues, bool merge)
      : arrays_(value_or_throw(Arrays::make(ready.bound, 0, {}))),
        run_(resolver, queues,
             value_or_throw(make_job(ready.spec, ready.bound, ready.source, arrays_)),
             {.always_merge = merge}) {}
  CoRun& run() { return run_; }
  const Arrays& arrays() const { return arrays_; }

 private:
  Arrays arrays_;
  CoRun run_;
};

/// The whole runs on one device of each kind.
class PlainRuns {
 public:
  PlainRuns(const Prepared& ready, Resolver& resolver, const std::vector<Queue>& queues)
      : bound_(ready.bound) {
    std::set<std::string> kinds;
    for (const auto& queue : queues) {
      if (!kinds.insert(queue.device()->fingerprint()).second) continue;
      runs_.push_back(std::make_unique<Runner>(ready, resolver, std::vector<Queue>{queue}, true));
      runs_.back()->run().run_on(0);
    }
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

}  // namespace

void verify_spec(const std::string& file, const VerifyOptions& options,
                 const std::vector<Partition>& splits, Resolver& resolver,
                 const std::vector<Queue>& queues,
                 const std::function<void(const Verdict&)>& report) {
  const Prepared ready = prepare(file, options);
  const PlainRuns plain(ready, resolver, queues);
  Runner merged(ready, resolver, queues, true);
  Runner usual(ready, resolver, queues, false);
  for (const auto& split : splits) {
    Verdict verdict{split.text(), "equal", ""};
    for (Runner* runner : {&merged, &usual}) {
      const RunReport outcome = run_partition(runner->run(), split);
      if (!outcome.reason.empty()) {
        verdict.outcome = "refused";
        verdict.reason = outcome.reason;
      }
      const auto wrong = plain.difference(runner->arrays(), options.rtol);
      if (!wrong.empty()) {
        verdict.outcome = "wrong";
        verdict.reason = wrong;
        break;
      }
    }
    report(verdict);
  }
}

}  // namespace kiln::spec
