// Searches on the data of a Session: what is searched for, and how a configuration is measured and
// its results are compared.
#include "mesh/tune/data_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/log.hpp"
#include "tune/measure/bench.hpp"

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

/// A Subject with other Parameters, on its own data. What it writes is put back before each run
/// that counts, and in the end, also of a constructor that throws. Halos are taken as they are:
/// Subject::refresh_halos() before. The reference is the form of its Generator's defaults; sums may
/// differ by the rounding of another order. Nothing else may use the Session meanwhile.
class DataSubject final : public tune::Subject {
 public:
  /// All outlive it. Throws Error where the Subject itself does not run.
  DataSubject(MatrixSession& session, const mesh::Subject& subject, const tune::SearchSpace& space);

  const tune::SearchSpace& space() const override { return space_; }
  Request request() const override { return subject_.request(); }
  std::unique_ptr<Form> make(tune::ConfigurationId id) override;
  void reset(Reset) override { outputs_.restore(); }
  std::string difference() override { return outputs_.difference(); }
  kiln::Measurement measurement(tune::ConfigurationId id) const override {
    auto measured = tune::Subject::measurement(id);
    measured.from += ", " + subject_.name();
    return measured;
  }

 private:
  /// Numbers that runs write: as they were, and as they should be after one run. Puts them back
  /// when it goes.
  class Outputs {
   public:
    Outputs(const Queue& queue, const mesh::Subject& subject);
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
  /// A form of the Subject that is timed by itself.
  class Timed final : public Form {
   public:
    Timed(const Queue& queue, std::unique_ptr<mesh::Subject::Form> form)
        : queue_(queue), form_(std::move(form)) {}
    void run_once() override {
      form_->run(false);
      check_cl(::clFinish(queue_.cl()()), "clFinish");
    }
    double run(std::size_t launches) override {
      form_->clear_seconds();
      for (std::size_t i = 0; i < launches; ++i) form_->run(true);
      return form_->seconds();
    }

   private:
    const Queue& queue_;
    std::unique_ptr<mesh::Subject::Form> form_;
  };
  std::unique_ptr<mesh::Subject::Form> make(const Parameters& parameters);

  MatrixSession& session_;
  const mesh::Subject& subject_;
  const tune::SearchSpace& space_;
  Resolver plan_maker_{nullptr};  ///< over no store: of plans only the winner's is kept
  PlanSource plans_{plan_maker_};
  Outputs outputs_;  ///< before forms: they run no more when it puts back
};

DataSubject::Outputs::Outputs(const Queue& queue, const mesh::Subject& subject) : queue_(queue) {
  for (Residence* data : subject.outputs()) {
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

DataSubject::DataSubject(MatrixSession& session, const mesh::Subject& subject,
                         const tune::SearchSpace& space)
    : session_(session), subject_(subject), space_(space), outputs_(session.queue, subject) {
  make(subject.standard())->run(false);
  outputs_.take_reference();
  outputs_.restore();
}

std::unique_ptr<mesh::Subject::Form> DataSubject::make(const Parameters& parameters) {
  return subject_.make({parameters, "trial", "", true}, plans_);
}

std::unique_ptr<tune::Subject::Form> DataSubject::make(tune::ConfigurationId id) {
  return std::make_unique<Timed>(session_.queue, make(tune::parameters_of(space_, id)));
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
  return std::make_unique<tune::SubjectBench>(
      std::make_unique<DataSubject>(session_, subject_, space_), resolver, session_.device());
}

}  // namespace kiln::mesh
