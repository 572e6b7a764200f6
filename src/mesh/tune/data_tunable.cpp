// Searches on the data of a Session: what is searched for, and how a configuration is measured and
// its results are compared.
#include "mesh/tune/data_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "tune/space/search_space.hpp"

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

/// Measures a Subject with other Parameters, on its own data. What it writes is put back before
/// each run that counts, and in the end, also of a constructor that throws. Halos are taken as they
/// are: Subject::refresh_halos() before. The reference is the form of its Generator's defaults;
/// sums may differ by the rounding of another order. One thread; nothing else may use the Session
/// meanwhile.
class DataBench : public tune::Bench {
 public:
  /// `keeper` is the Resolver that records go to. All outlive it. Throws Error where the Subject
  /// itself does not run.
  DataBench(MatrixSession& session, const Subject& subject, const tune::SearchSpace& space,
            Resolver& keeper);

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  /// Numbers that runs write: as they were, and as they should be after one run. Puts them back
  /// when it goes.
  class Outputs {
   public:
    Outputs(const Queue& queue, const Subject& subject);
    ~Outputs();
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;
    void restore();
    /// What they are now is what they should be.
    void take_reference();
    /// Where they are something else: in words. Empty: nowhere.
    std::string difference() const;

   private:
    struct Output {
      Residence* data;
      Bytes initial, reference;
    };
    const Queue& queue_;
    std::vector<Output> all_;
  };
  std::unique_ptr<Subject::Form> make(const Parameters& parameters);

  MatrixSession& session_;
  const Subject& subject_;
  const tune::SearchSpace& space_;
  Resolver& keeper_;
  Resolver plan_maker_{nullptr};  ///< over no store: of plans only the winner's is kept
  PlanSource plans_{plan_maker_};
  Outputs outputs_;  ///< before forms: they run no more when it puts back
  std::map<tune::ConfigurationId, std::unique_ptr<Subject::Form>> made_;
};

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

DataBench::DataBench(MatrixSession& session, const Subject& subject, const tune::SearchSpace& space,
                     Resolver& keeper)
    : session_(session),
      subject_(subject),
      space_(space),
      keeper_(keeper),
      outputs_(session.queue, subject) {
  make(subject.standard())->run(false);
  outputs_.take_reference();
  outputs_.restore();
}

std::unique_ptr<Subject::Form> DataBench::make(const Parameters& parameters) {
  return subject_.make({parameters, "trial", "", true}, plans_);
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

/// Constraints of Generators are code: what one does not accept is left out row by row.
tune::SearchSpace space_of(const Subject& subject, const Generator& generator) {
  std::vector<tune::Parameter> parameters;
  for (const auto& [name, values] : subject.values()) {
    auto& parameter = parameters.emplace_back(tune::Parameter{name, {}});
    for (const std::int64_t value : values) parameter.values.emplace_back(value);
  }
  const auto all = value_or_throw(tune::SearchSpace::build(parameters, {}));
  std::vector<tune::Positions> rows;
  for (tune::ConfigurationId id = 0; id < all.size(); ++id)
    if (generator.accepts(subject.request(), tune::parameters_of(all, id)))
      rows.push_back(all.positions(id));
  return value_or_throw(tune::SearchSpace::of_rows(std::move(parameters), rows));
}

}  // namespace

DataTunable::DataTunable(MatrixSession& session, const Subject& subject)
    : session_(session), subject_(subject), space_(space_of(subject, subject.generator())) {}

std::string DataTunable::identity() const {
  const Request& request = subject_.request();
  return fmt::format("{} {} {} {}", request.family, request.version, request.problem_class,
                     request.problem_size);
}
tune::TuningProblem DataTunable::problem() const {
  const Request& request = subject_.request();
  return {request.family, request.version, request.problem_class, request.problem_size};
}

/// The Subject's, with the next larger values where the space has not its own.
std::optional<tune::ConfigurationId> DataTunable::standard() const {
  Parameters values = subject_.standard();
  for (const auto& parameter : space_.parameters()) {
    const auto number_of = [](const auto& value) { return *value.to_integer(); };
    const std::int64_t wanted = values.get(parameter.name, number_of(parameter.values.front()));
    std::int64_t nearest = number_of(parameter.values.back());
    for (const auto& value : parameter.values)
      if (number_of(value) >= wanted) nearest = std::min(nearest, number_of(value));
    values.set(parameter.name, nearest);
  }
  return tune::configuration_of(space_, values);
}

std::unique_ptr<tune::Bench> DataTunable::open(Resolver& resolver, const ContextPtr& context,
                                               const Queue&) const {
  if (context != session_.context())
    throw Error(Errc::unsupported, label() + ": is measured on the data of its own Mesh only");
  return std::make_unique<DataBench>(session_, subject_, space_, resolver);
}

}  // namespace kiln::mesh
