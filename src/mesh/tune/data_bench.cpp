#include "mesh/tune/data_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "mesh/object/generators.hpp"
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

DataBench::Outputs::Outputs(const Queue& queue, const Subject& subject) : queue_(queue) {
  for (Residence* data : subject.outputs()) {
    const auto* now = data->on_host(queue_, false);
    all_.push_back({data, {now, now + data->bytes()}, {}});
  }
}

DataBench::Outputs::~Outputs() {
  try {
    restore();
  } catch (...) {
    // The device is gone, and the data with it: its next user is told, too.
    log_failure("data that were tuned on could not be put back");
  }
}

void DataBench::Outputs::restore() {
  for (Output& output : all_) {
    auto* now = output.data->on_host(queue_, true);
    std::copy(output.initial.begin(), output.initial.end(), now);
  }
}

void DataBench::Outputs::take_reference() {
  for (Output& output : all_) {
    const auto* now = output.data->on_host(queue_, false);
    output.reference.assign(now, now + output.data->bytes());
  }
}

std::string DataBench::Outputs::difference() const {
  for (const Output& output : all_) {
    const ByteView found{output.data->on_host(queue_, false), output.data->bytes()};
    const ByteView expected(output.reference);
    std::string wrong;
    if (output.data->form().type == ScalarType::f64)
      wrong = difference_of<double>(found, expected, double_tolerance);
    else if (output.data->form().type == ScalarType::f32)
      wrong = difference_of<float>(found, expected, float_tolerance);
    else if (!std::ranges::equal(found, expected))
      wrong = "integers differ";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

DataBench::DataBench(Session& session, const Subject& subject, const tune::SearchSpace& space,
                     Resolver& keeper)
    : session_(session),
      subject_(subject),
      space_(space),
      keeper_(keeper),
      trials_(nullptr),
      plans_(trials_),
      outputs_(session.queue, subject) {
  add_generators(trials_);
  make(subject.standard())->run(false);
  outputs_.take_reference();
  outputs_.restore();
}

std::unique_ptr<Subject::Form> DataBench::make(const Parameters& parameters) {
  trials_.try_out(subject_.request().family, parameters);
  return subject_.make(trials_, plans_);
}

tune::Report DataBench::prepare(tune::ConfigurationId id) {
  tune::Report report{tune::Outcome::of_time(1), ""};
  const Stopwatch compiling;
  auto made = make(tune::parameters_of(space_, id));
  report.compiling = compiling.seconds();
  outputs_.restore();
  const Stopwatch running;
  made->run(false);
  check_cl(::clFinish(session_.queue.cl()()), "clFinish");
  report.running = running.seconds();
  report.message = outputs_.difference();
  if (report.message.empty())
    made_[id] = std::move(made);
  else
    report.outcome = tune::Outcome::of(tune::Failure::wrong_result);
  return report;
}

double DataBench::run(tune::ConfigurationId id, std::size_t launches) {
  const auto found = made_.find(id);
  if (found == made_.end()) throw Error(Errc::internal, "a configuration that was not prepared");
  outputs_.restore();
  Subject::Form& form = *found->second;
  form.clear_seconds();
  for (std::size_t i = 0; i < launches; ++i) form.run(true);
  return form.seconds();
}

void DataBench::record(tune::ConfigurationId id, double seconds, double standard) {
  const Request& request = subject_.request();
  keeper_.record(request, *session_.device(),
                 {Measurement{tune::parameters_of(space_, id),
                              request.problem_size,
                              seconds * 1e3,
                              Measurement::Of::kiln,
                              "kiln tune, " + subject_.name(),
                              {},
                              standard * 1e3}});
}

std::optional<tune::ConfigurationId> DataBench::on_record() {
  const Request& request = subject_.request();
  return best_on_record(space_, keeper_.tuning_record(request, *session_.device()),
                        request.problem_size);
}

}  // namespace kiln::mesh
