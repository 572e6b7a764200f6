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

class UsualProblems {
 public:
  UsualProblems(const Sizes& sizes, Precision precision) : sizes_(sizes) {
    made_.precision = precision;
  }

  /// Everything of a precision, in ranks: 0 matters most.
  std::vector<std::pair<int, UsualProblem>> take() {
    add_gemm();
    add_level_3();
    add_level_2();
    return std::move(problems_);
  }

 private:
  using enum Transpose;
  static constexpr Transpose both[] = {none, transpose};

  void add(int rank, double weight, Routine routine, std::size_t size) {
    Call call = made_;
    call.routine = routine;
    call.order = Order::column_major;
    call.diag = Diag::non_unit;
    call.m = call.n = call.k = size;
    call.alpha = 1;
    problems_.push_back({rank, {contiguous(call), weight}});
  }
  void add_gemm() {
    for (const auto a : both)
      for (const auto b : both) {
        made_.trans_a = a, made_.trans_b = b;
        add(0, 4, Routine::gemm, sizes_.medium);
        add(1, 3, Routine::gemm, sizes_.large);
        add(1, 2, Routine::gemm, sizes_.small);
      }
    made_.trans_a = made_.trans_b = none;
  }
  void add_level_3() {
    const bool complex = made_.precision == Precision::c || made_.precision == Precision::z;
    for (const auto size : {sizes_.medium, sizes_.large}) {
      for (const auto routine : {complex ? Routine::herk : Routine::syrk, Routine::trsm})
        for (const auto a : both) {
          made_.trans_a = a;
          if (routine != Routine::trsm) {
            add(2, 2, routine, size);
            continue;
          }
          for (const auto side : {Side::left, Side::right})
            for (const auto uplo : {Uplo::lower, Uplo::upper}) {
              made_.side = side, made_.uplo = uplo;
              add(2, 2, routine, size);
            }
        }
      made_.trans_a = none, made_.side = Side::left, made_.uplo = Uplo::lower;
      for (const auto routine : {complex ? Routine::her2k : Routine::syr2k,
                                 complex ? Routine::hemm : Routine::symm, Routine::trmm})
        add(3, 1, routine, size);
    }
  }
  void add_level_2() {
    for (const auto a : both) {
      made_.trans_a = a;
      for (const auto size : {sizes_.medium, sizes_.large}) add(4, 1, Routine::gemv, size);
      // Both triangles are one problem class.
      add(5, 1, Routine::trsv, sizes_.large);
    }
  }

  Sizes sizes_;
  Call made_;
  std::vector<std::pair<int, UsualProblem>> problems_;
};

}  // namespace

std::vector<UsualProblem> usual_problems(const TuningDevice& device, bool doubles) {
  std::vector<std::pair<int, UsualProblem>> ranked;
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    if (!doubles && is_double(precision)) continue;
    auto some = UsualProblems(sizes_of(device), precision).take();
    ranked.insert(ranked.end(), some.begin(), some.end());
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
