// Searches on the data of a Session: what is searched for, and how a configuration is measured and
// its results are compared.
#include "mesh/tune/data_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/log.hpp"

namespace kiln::mesh {

namespace {

/// Of the largest number: what another order of additions may change.
constexpr double double_tolerance = 1e-9, float_tolerance = 1e-3;

/// As tune::difference_of(), with a bound relative to the largest number that is expected.
template <class Number>
std::string relative_difference(ByteView found, ByteView expected, double tolerance) {
  const auto* numbers = reinterpret_cast<const Number*>(expected.data());
  double greatest = 0;
  for (std::size_t i = 0; i < expected.size() / sizeof(Number); ++i)
    greatest = std::max(greatest, std::abs(static_cast<double>(numbers[i])));
  return tune::difference_of<Number>(found, expected, tolerance * greatest);
}

/// What a DataTunable is with other Parameters. What it writes is put back before each run that
/// counts, and in the end, also of a constructor that throws. Halos are taken as they are:
/// DataTunable::refresh_halos() before. The reference is the form of the standard Parameters; sums
/// may differ by the rounding of another order. Nothing else may use the Session meanwhile.
class DataSubject final : public tune::Subject {
 public:
  /// Both outlive it. Throws Error where the standard form does not run.
  DataSubject(const Queue& queue, const DataTunable& tunable)
      : tunable_(tunable), outputs_(queue, tunable) {
    make(tunable.standard_parameters())->run_once();
    outputs_.take_reference();
    outputs_.restore();
  }

  const tune::SearchSpace& space() const override { return tunable_.space(); }
  Request request() const override { return tunable_.request(); }
  std::unique_ptr<Form> make(tune::ConfigurationId id) override {
    return make(tune::parameters_of(space(), id));
  }
  void reset(Reset) override { outputs_.restore(); }
  std::string difference() override { return outputs_.difference(); }
  kiln::Measurement measurement(tune::ConfigurationId id) const override {
    auto measured = tune::Subject::measurement(id);
    measured.from += ", " + tunable_.name();
    return measured;
  }

 private:
  /// Numbers that runs write: as they were, and as they should be after one run. Puts them back
  /// when it goes.
  class Outputs {
   public:
    Outputs(const Queue& queue, const DataTunable& tunable);
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
  std::unique_ptr<DataTunable::Form> make(const Parameters& parameters) {
    return tunable_.make({parameters, "trial", "", true}, plans_);
  }

  const DataTunable& tunable_;
  Resolver plan_maker_{nullptr};  ///< over no store: of plans only the winner's is kept
  PlanSource plans_{plan_maker_};
  Outputs outputs_;  ///< before forms: they run no more when it puts back
};

DataSubject::Outputs::Outputs(const Queue& queue, const DataTunable& tunable) : queue_(queue) {
  for (Residence* data : tunable.outputs()) {
    const auto* now = data->on_host(queue_, false);
    all_.push_back({data, {now, now + data->bytes()}, {}});
  }
}

DataSubject::Outputs::~Outputs() {
  try {
    restore();
  } catch (...) {
    // The device is gone, and the data with it: its next user is told, too.
    log_failure("data that were tuned on could not be put back");
  }
}

void DataSubject::Outputs::restore() {
  for (Output& output : all_) {
    auto* now = output.data->on_host(queue_, true);
    std::copy(output.initial.begin(), output.initial.end(), now);
  }
}

void DataSubject::Outputs::take_reference() {
  for (Output& output : all_) {
    const auto* now = output.data->on_host(queue_, false);
    output.reference.assign(now, now + output.data->bytes());
  }
}

std::string DataSubject::Outputs::difference() const {
  for (const Output& output : all_) {
    const ByteView found{output.data->on_host(queue_, false), output.data->bytes()};
    const ByteView expected(output.reference);
    std::string wrong;
    if (output.data->form().type == ScalarType::f64)
      wrong = relative_difference<double>(found, expected, double_tolerance);
    else if (output.data->form().type == ScalarType::f32)
      wrong = relative_difference<float>(found, expected, float_tolerance);
    else if (!std::ranges::equal(found, expected))
      wrong = "integers differ";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

/// Constraints of Generators are code: what one does not accept is left out row by row.
template <class Values>
tune::SearchSpace space_of(const Request& request, const Values& values,
                           const Generator& generator) {
  std::vector<tune::Parameter> parameters;
  for (const auto& [name, some] : values) parameters.push_back({name, {some.begin(), some.end()}});
  const auto rows = tune::accepted_rows(
      parameters, [&](const Parameters& each) { return generator.accepts(request, each); });
  return value_or_throw(tune::SearchSpace::of_rows(std::move(parameters), rows));
}

}  // namespace

void DataTunable::Form::run_once() {
  enqueue(false);
  check_cl(::clFinish(queue_.cl()()), "clFinish");
}

double DataTunable::Form::run(std::size_t launches) {
  clear_seconds();
  for (std::size_t i = 0; i < launches; ++i) enqueue(true);
  return seconds();
}

DataTunable::DataTunable(MatrixSession& session, std::string name, Request request,
                         const Values& values, const Generator& generator)
    : session_(session),
      name_(std::move(name)),
      request_(std::move(request)),
      space_(space_of(request_, values, generator)) {}

std::string DataTunable::identity() const {
  return fmt::format("{} {} {} {}", request_.family, request_.version, request_.problem_class,
                     request_.problem_size);
}

std::optional<tune::ConfigurationId> DataTunable::standard() const {
  Parameters values = standard_;
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
    throw Error(Errc::unsupported, label_ + ": is measured on the data of its own Mesh only");
  return std::make_unique<tune::SubjectBench>(std::make_unique<DataSubject>(session_.queue, *this),
                                              resolver, session_.device());
}

}  // namespace kiln::mesh
