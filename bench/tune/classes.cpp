// Records on sizes that were never tuned: is what a short search found at two sizes good between,
// below and above them?
#include <fmt/format.h>

#include <cstdlib>

#include "base/os/process.hpp"
#include "blas/duel.hpp"
#include "spec/sandbox.hpp"
#include "store/local/local_store.hpp"
#include "tune/bars.hpp"
#include "tune/parameter_duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

struct Case {
  std::string name;  ///< "sgemm"
  Routine routine;
  Precision precision;
  std::vector<std::size_t> tuned, other;
  bool transposed = false;  ///< the others are of another class, which has no record
};

/// Of a search. Short, as impatient users are.
constexpr const char* evaluations = "60";

void tune(const Context& context, const Case& what, std::size_t n, const fs::path& store) {
  const auto size = std::to_string(n);
  const auto done = value_or_throw(run_process(
      {context.binaries / "kiln",
       {"tune", what.name, "-n", size, "--device", "cpu", "--evaluations", evaluations, "--store",
        store.string(), "--journal",
        (store.parent_path() / fmt::format("{}.jsonl", store.filename().string() + size)).string(),
        "--from-scratch"},
       {},
       {}}));
  if (done.exit_code != 0)
    throw Error(Errc::io, "kiln tune: " + done.errors.substr(0, done.errors.find('\n')));
}

Call call_of(const Case& what, std::size_t n) {
  Call call = measured_call(what.routine, what.precision, n);
  if (what.transposed) call.trans_b = Transpose::transpose;
  return rival::contiguous(call);
}

Outcome measure(const Context& context, const Case& what) {
  if (std::getenv("KILN_LONG") == nullptr)
    return not_measured("takes minutes; expected KILN_LONG=1");
  use_own_driver_cache();
  const Sandbox sandbox;
  for (const auto n : what.tuned) tune(context, what, n, sandbox.path() / "tuned");
  // What a search there would have given, at one size of them.
  const std::size_t middle = what.other[what.other.size() / 2];
  if (!what.transposed) tune(context, what, middle, sandbox.path() / "own");
  const auto resolver_over = [&](const char* store) {
    return std::make_unique<Resolver>(open_local_store((sandbox.path() / store).string()));
  };
  const auto tuned = resolver_over("tuned"), own = resolver_over("own"),
             none = resolver_over("none");
  rival::Machine machine{Runtime({.devices = "cpu", .store = (sandbox.path() / "empty").string()})};
  Library with(*tuned), own_side(*own), built_in(*none);
  Figure least{1e9, {}};
  for (const auto n : what.other) {
    const Call call = call_of(what, n);
    const double faster = ratio_of(with, built_in, machine, call);
    least.value = std::min(least.value, faster);
    least.detail += fmt::format("{}{}: {:.3f}", least.detail.empty() ? "" : ", ", n, faster);
  }
  if (!what.transposed)
    least.detail += fmt::format("; at {} {:.3f} of what a search there finds", middle,
                                ratio_of(with, own_side, machine, call_of(what, middle)));
  return least;
}

}  // namespace

std::vector<Bar> class_bars() {
  static const std::vector<Case> cases{
      {"sgemm", Routine::gemm, Precision::s, {256, 1024}, {150, 181, 384, 500, 1500, 2048, 3000}},
      {"dgemm", Routine::gemm, Precision::d, {256, 1024}, {150, 181, 384, 500, 1500, 2048, 3000}},
      {"sgemv", Routine::gemv, Precision::s, {512, 2048}, {300, 700, 1000, 1531, 3000, 4096}},
      {"sgemm", Routine::gemm, Precision::s, {512}, {300, 512, 1000}, true},
  };
  std::vector<Bar> bars;
  for (const auto& what : cases)
    bars.push_back({fmt::format("tune/classes-{}{}", what.name, what.transposed ? "-nt" : ""),
                    what.transposed ? "the slowest of products with a transposed factor, tuned "
                                      "without it, against the built-in parameters"
                                    : "the slowest of sizes that were never tuned, with records of "
                                      "two others, against the built-in parameters",
                    Holds::at_least, 0.97, "x faster",
                    [&what](const Context& context) { return measure(context, what); }});
  return bars;
}

}  // namespace kiln::bench
