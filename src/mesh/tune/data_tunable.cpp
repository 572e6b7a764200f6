#include "mesh/tune/data_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/tune/data_bench.hpp"
#include "tune/space/configuration_of.hpp"

namespace kiln::mesh {
namespace {

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

DataTunable::DataTunable(Session& session, const Subject& subject)
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
