#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/data/text.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/call/recorded_call.hpp"
#include "blas/tune/campaign_plan.hpp"

namespace kiln::blas {

// ---- Calls of a record
namespace {

/// Sizes that differ by no more want the same Parameters.
constexpr double near = 1.25;

bool is_near(std::size_t a, std::size_t b) {
  const auto [less, more] = std::minmax(a, b);
  return static_cast<double>(more) <= near * static_cast<double>(less);
}

bool is_alike(const Call& a, const Call& b) {
  return a.routine == b.routine && a.precision == b.precision && is_near(a.m, b.m) &&
         is_near(a.n, b.n) && is_near(a.k, b.k) && problem_class_of(a) == problem_class_of(b);
}

/// Why a call is not to be tuned; "" where it is.
std::string reason_against(const RecordedCall& recorded, const Call& call) {
  if (tuned_family(call).empty()) return "its kernels have no parameters";
  if (recorded.devices.size() != 1) return "several queues share it; tune it for one device";
  // Of such a call the kernel's product is no part, so that a wrong one would pass for right.
  if (call.alpha == Scalar(0)) return "its alpha is 0: nothing is multiplied";
  std::size_t matrices = 0;
  for (const Use& use : Uses(call)) matrices += use.length > 0 && use.lines > 0 ? 1u : 0u;
  if (matrices < 2) return "it does nothing";
  return "";
}

/// Merges the calls of a record that want the same Parameters.
class Merger {
 public:
  void add(const RecordedCall& recorded) {
    if (recorded.kind != "blas")
      return leave_out(recorded, recorded.kind == "spec"
                                     ? "not of BLAS; kiln tune FILE --param NAME=VALUES tunes it"
                                     : "not of BLAS");
    const auto call = call_of(recorded);
    if (!call) return leave_out(recorded, call.error().message());
    if (const auto reason = reason_against(recorded, *call); !reason.empty())
      return leave_out(recorded, reason);
    add(recorded, contiguous(*call));
  }

  CallsToTune take() {
    for (auto& [key, one] : left_out_) result_.left_out.push_back(std::move(one));
    const auto larger = [](const auto& a, const auto& b) { return a.share > b.share; };
    std::stable_sort(result_.calls.begin(), result_.calls.end(), larger);
    std::stable_sort(result_.left_out.begin(), result_.left_out.end(), larger);
    return std::move(result_);
  }

 private:
  void leave_out(const RecordedCall& recorded, const std::string& reason) {
    auto& one = left_out_[{recorded.name, reason}];
    one.name = one_line(recorded.name);
    one.reason = reason;
    one.count += recorded.count;
    one.share += recorded.share;
  }

  void add(const RecordedCall& recorded, const Call& call) {
    const RecordedDevice& device = recorded.devices.front();
    const double rate = recorded.timed > 0 ? rate_of(call, recorded.estimated_ns * 1e-9) : 0;
    // A record has few kinds that are alike, and may have very many in all.
    auto& places =
        by_class_[device.fingerprint + fmt::format("/{} ", device.units) + problem_class_of(call)];
    for (const std::size_t place : places) {
      CallToTune& known = result_.calls[place];
      if (!is_alike(known.call, call)) continue;
      known.count += recorded.count;
      known.share += recorded.share;
      ++known.kinds;
      known.rate = std::max(known.rate, rate);
      return;
    }
    places.push_back(result_.calls.size());
    result_.calls.push_back({call, device, recorded.count, 1, recorded.share, rate});
  }

  CallsToTune result_;
  std::map<std::pair<std::string, std::string>, CallLeftOut> left_out_;
  std::map<std::string, std::vector<std::size_t>> by_class_;
};

}  // namespace

CallsToTune calls_to_tune(const RecordedCalls& recorded) {
  // The largest share comes first: it stands for what is merged with it.
  Merger merger;
  for (const auto& call : recorded.calls) merger.add(call);
  return merger.take();
}

double rate_of(const Call& call, double seconds) {
  if (!(seconds > 0)) return 0;
  return (is_compute_bound(call.routine) ? operations_of(call) : traffic_of(call)) / seconds;
}

double expected_gain(double rate, double best_rate, bool on_record) {
  if (on_record) return 0.02;
  if (!(rate > 0) || !(best_rate > 0)) return 1.0 / 3;
  return std::clamp(1 - rate / best_rate, 0.05, 0.95);
}

// ---- Calls that most users make
namespace {

/// How the sizes of the list are called.
struct Sizes {
  std::size_t small, medium, large;
};

/// A GPU needs larger problems to be busy, and comes to their end sooner.
Sizes sizes_of(const TuningDevice& device) {
  return device.is_cpu ? Sizes{128, 1024, 2048} : Sizes{256, 2048, 8192};
}

/// The options that are tried both ways; without them op(A) is A, and A on the left is a lower
/// triangle.
enum Options : unsigned { fixed = 0, op_a = 1, op_b = 2, sides = 4, triangles = 8 };

struct UsualRoutine {
  int rank;  ///< 0 matters most
  double weight;
  Routine real, complex;
  std::size_t Sizes::*size;
  unsigned options;
};
constexpr UsualRoutine usual_routines[] = {
    {0, 4, Routine::gemm, Routine::gemm, &Sizes::medium, op_a | op_b},
    {1, 3, Routine::gemm, Routine::gemm, &Sizes::large, op_a | op_b},
    {1, 2, Routine::gemm, Routine::gemm, &Sizes::small, op_a | op_b},
    {2, 2, Routine::syrk, Routine::herk, &Sizes::medium, op_a},
    {2, 2, Routine::trsm, Routine::trsm, &Sizes::medium, op_a | sides | triangles},
    {2, 2, Routine::syrk, Routine::herk, &Sizes::large, op_a},
    {2, 2, Routine::trsm, Routine::trsm, &Sizes::large, op_a | sides | triangles},
    {3, 1, Routine::syr2k, Routine::her2k, &Sizes::medium, fixed},
    {3, 1, Routine::symm, Routine::hemm, &Sizes::medium, fixed},
    {3, 1, Routine::trmm, Routine::trmm, &Sizes::medium, fixed},
    {3, 1, Routine::syr2k, Routine::her2k, &Sizes::large, fixed},
    {3, 1, Routine::symm, Routine::hemm, &Sizes::large, fixed},
    {3, 1, Routine::trmm, Routine::trmm, &Sizes::large, fixed},
    {4, 1, Routine::gemv, Routine::gemv, &Sizes::medium, op_a},
    {4, 1, Routine::gemv, Routine::gemv, &Sizes::large, op_a},
    // Both triangles are one problem class.
    {5, 1, Routine::trsv, Routine::trsv, &Sizes::large, op_a},
};

}  // namespace

std::vector<UsualProblem> usual_problems(const TuningDevice& device, bool doubles) {
  const Sizes sizes = sizes_of(device);
  std::vector<std::pair<int, UsualProblem>> ranked;
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    if (!doubles && is_double(precision)) continue;
    for (const auto& [rank, weight, real, complex, size, options] : usual_routines)
      // Every combination of those options.
      for (unsigned chosen = 0; chosen <= options; ++chosen) {
        if ((chosen & ~options) != 0) continue;
        Call call;
        call.precision = precision;
        call.routine = is_complex(precision) ? complex : real;
        call.order = Order::column_major;
        call.diag = Diag::non_unit;
        call.trans_a = (chosen & op_a) != 0 ? Transpose::transpose : Transpose::none;
        call.trans_b = (chosen & op_b) != 0 ? Transpose::transpose : Transpose::none;
        call.side = (chosen & sides) != 0 ? Side::right : Side::left;
        call.uplo = (chosen & triangles) != 0 ? Uplo::upper : Uplo::lower;
        call.m = call.n = call.k = sizes.*size;
        call.alpha = 1;
        ranked.push_back({rank, {contiguous(call), weight}});
      }
  }
  const auto rank = [](const auto& one) {
    return std::pair(is_complex(one.second.call.precision), one.first);
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<UsualProblem> problems;
  for (auto& one : ranked) problems.push_back(std::move(one.second));
  return problems;
}

}  // namespace kiln::blas
