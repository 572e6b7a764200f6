#include "mesh/tune/loop_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "tune/space/configuration_of.hpp"

namespace kiln::mesh {
namespace {

/// Of the largest number: what another order of additions may change.
constexpr double double_tolerance = 1e-9, float_tolerance = 1e-3;

template <class T>
std::string difference_of(ByteView found, ByteView expected, double tolerance) {
  const auto* a = reinterpret_cast<const T*>(found.data());
  const auto* b = reinterpret_cast<const T*>(expected.data());
  const std::size_t count = found.size() / sizeof(T);
  double greatest = 0;
  for (std::size_t k = 0; k < count; ++k)
    greatest = std::max(greatest, std::abs(static_cast<double>(b[k])));
  const double bound = tolerance * greatest;
  for (std::size_t k = 0; k < count; ++k) {
    const double off = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
    const bool both_are_none = std::isnan(static_cast<double>(b[k])) && std::isnan(off);
    if (!(off <= bound) && !both_are_none)
      return fmt::format("number {} is {}, expected {}", k, a[k], b[k]);
  }
  return "";
}

}  // namespace

LoopBench::LoopBench(Session& session, const PreparedLoop& loop, const Request& request,
                     const tune::SearchSpace& space, Resolver& keeper)
    : session_(session),
      loop_(loop),
      request_(request),
      space_(space),
      keeper_(keeper),
      trials_(nullptr),
      plans_(trials_) {
  trials_.add(std::make_unique<LoopGenerator>());
  for (const Arg& arg : loop.arguments()) {
    if (arg.access == Access::read) continue;
    Residence* data = nullptr;
    if (arg.kind == Arg::Kind::dat)
      data = &const_cast<DatState*>(static_cast<const DatState*>(arg.data))->data;
    else if (arg.kind == Arg::Kind::global)
      data = &const_cast<GlobalState*>(static_cast<const GlobalState*>(arg.data))->data;
    else
      data = &const_cast<MatState*>(static_cast<const MatState*>(arg.data))->values;
    const bool is_known = std::any_of(outputs_.begin(), outputs_.end(),
                                      [&](const Output& known) { return known.data == data; });
    if (is_known) continue;
    const auto* now = data->on_host(session_.queue, false);
    outputs_.push_back({data, {now, now + data->bytes()}, {}});
  }
  const auto plain = make(LoopGenerator().defaults(request_));
  plain->run(session_.queue, false);
  for (Output& output : outputs_) {
    const auto* now = output.data->on_host(session_.queue, false);
    output.reference.assign(now, now + output.data->bytes());
  }
  restore();
}

LoopBench::~LoopBench() {
  try {
    restore();
  } catch (const Error&) {
    // The device is gone, and the data with it: its next user is told.
  }
}

std::unique_ptr<MadeLoop> LoopBench::make(const Parameters& parameters) {
  trials_.try_out(request_.family, parameters);
  return make_loop(session_, loop_.shape(), loop_.over(), loop_.arguments(), trials_, plans_);
}

void LoopBench::restore() {
  for (Output& output : outputs_) {
    auto* now = output.data->on_host(session_.queue, true);
    std::copy(output.initial.begin(), output.initial.end(), now);
  }
}

std::string LoopBench::difference() const {
  for (const Output& output : outputs_) {
    const ByteView found{output.data->on_host(session_.queue, false), output.data->bytes()};
    const ByteView expected(output.reference);
    std::string wrong;
    if (output.data->form().type == ScalarType::f64)
      wrong = difference_of<double>(found, expected, double_tolerance);
    else if (output.data->form().type == ScalarType::f32)
      wrong = difference_of<float>(found, expected, float_tolerance);
    else if (!std::ranges::equal(found, expected))
      wrong = "whole numbers differ";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

tune::Report LoopBench::prepare(tune::ConfigurationId id) {
  tune::Report report{tune::Outcome::of_time(1), ""};
  const Stopwatch compiling;
  auto made = make(tune::parameters_of(space_, id));
  report.compiling = compiling.seconds();
  restore();
  const Stopwatch running;
  made->run(session_.queue, false);
  check_cl(::clFinish(session_.queue.cl()()), "clFinish");
  report.running = running.seconds();
  report.message = difference();
  if (report.message.empty())
    made_[id] = std::move(made);
  else
    report.outcome = tune::Outcome::of(tune::Failure::wrong_result);
  return report;
}

double LoopBench::run(tune::ConfigurationId id, std::size_t launches) {
  const auto found = made_.find(id);
  if (found == made_.end()) throw Error(Errc::internal, "a configuration that was not prepared");
  restore();
  MadeLoop& loop = *found->second;
  loop.clear_seconds();
  for (std::size_t i = 0; i < launches; ++i) loop.run(session_.queue, true);
  return loop.seconds();
}

void LoopBench::record(tune::ConfigurationId id, double seconds, double standard) {
  keeper_.record(request_, *session_.device(),
                 {Measurement{tune::parameters_of(space_, id),
                              request_.problem_size,
                              seconds * 1e3,
                              Measurement::Of::kiln,
                              fmt::format("kiln tune, loop {}", loop_.name()),
                              {},
                              standard * 1e3}});
}

std::optional<tune::ConfigurationId> LoopBench::on_record() {
  return best_on_record(space_, keeper_.tuning_record(request_, *session_.device()),
                        request_.problem_size);
}

}  // namespace kiln::mesh
