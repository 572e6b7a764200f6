// The records that come with Kiln: whether what they have for the first CPU is still faster than
// the built-in parameters, and what a start pays for them.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "blas/duel.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/resolver/shipped_records.hpp"
#include "kiln/blas/explain.hpp"
#include "spec/sandbox.hpp"
#include "store/local/local_store.hpp"
#include "tune/bars.hpp"
#include "tune/parameter_duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

/// Calls of all families that have parameters on CPUs, at sizes that searches are made at.
std::vector<Call> shipped_calls() {
  std::vector<Call> calls;
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    for (const std::size_t n : {256, 1024})
      calls.push_back(measured_call(Routine::gemm, precision, n));
    for (const auto trans : {Transpose::none, Transpose::transpose}) {
      Call call = measured_call(Routine::gemv, precision, 4096);
      call.trans_a = trans;
      calls.push_back(call);
    }
    calls.push_back(measured_call(Routine::trsv, precision, 4096));
  }
  for (auto& call : calls) call = rival::contiguous(call);
  return calls;
}

bool is_shipped(Library& library, const rival::Problem& problem) {
  const cl_command_queue queue = problem.queue();
  const auto sequence = explain(library, problem.call(), {&queue, 1});
  return std::any_of(sequence.steps.begin(), sequence.steps.end(), [](const SequenceStep& step) {
    return step.parameters_from == TuningRecords::shipped_origin;
  });
}

Outcome slowest(const Context&) {
  use_own_driver_cache();
  const Sandbox sandbox;
  const auto resolver_over = [&](const char* store, ShippedRecords* shipped) {
    return std::make_unique<Resolver>(open_local_store((sandbox.path() / store).string()),
                                      CompilePolicy::apart, shipped);
  };
  ShippedRecords shipped(find_shared("tuned"));
  const auto with = resolver_over("with", &shipped), without = resolver_over("without", nullptr);
  rival::Machine machine{Runtime({.devices = "cpu", .store = (sandbox.path() / "empty").string()})};
  Library tuned(*with), built_in(*without);
  Figure least{1e9, {}};
  for (const auto& call : shipped_calls()) {
    if (!is_shipped(tuned, rival::Problem(machine, call))) continue;
    const double faster = ratio_of(tuned, built_in, machine, call);
    least.value = std::min(least.value, faster);
    least.detail +=
        fmt::format("{}{} {}{}: {:.3f}", least.detail.empty() ? "" : ", ", name_of(call), call.n,
                    call.trans_a == Transpose::none ? "" : " t", faster);
  }
  if (least.detail.empty()) return not_measured("nothing that is shipped is used on this device");
  return least;
}

/// Of a process that has no record of its own: the files are opened, those near are read.
Outcome first_look_up(const Context&) {
  const auto folder = find_shared("tuned");
  const auto device = value_or_throw(select_devices("cpu")).front();
  const std::vector<std::string> classes{"gemm float COLUMN_MAJOR"};
  std::vector<double> times;
  for (int i = 0; i < 101; ++i) {
    const auto start = now_ns();
    ShippedRecords records(folder);
    (void)records.find(DeviceFacts::of(*device), "blas.gemm", classes);
    times.push_back(static_cast<double>(now_ns() - start) * 1e-6);
  }
  std::sort(times.begin(), times.end());
  return Figure{times[times.size() / 2],
                fmt::format("{} files; quartiles {:.3f} and {:.3f} ms",
                            ShippedRecords(folder).files().size(), times[25], times[75])};
}

}  // namespace

std::vector<Bar> shipped_bars() {
  return {{"tune/shipped",
           "the slowest of calls for which records ship, against the built-in parameters",
           Holds::at_least, 0.98, "x faster", slowest},
          {"tune/shipped-start", "the first look-up in the records that ship", Holds::at_most, 1,
           "ms", first_look_up}};
}

}  // namespace kiln::bench
