#include "mesh/tune/loop_tunable.hpp"

#include <fmt/format.h>

#include "mesh/tune/loop_bench.hpp"
#include "tune/space/configuration_of.hpp"

namespace kiln::mesh {
namespace {

tune::SearchSpace space_of(const LoopShape& shape, const LoopDevice& device,
                           const Request& request) {
  std::vector<tune::Parameter> parameters;
  for (const auto& [name, values] : space(shape, device)) {
    auto& parameter = parameters.emplace_back(tune::Parameter{name, {}});
    for (const std::int64_t value : values) parameter.values.emplace_back(value);
  }
  // Constraints of the Generator are code: what it does not accept is left out row by row.
  const auto all = value_or_throw(tune::SearchSpace::build(parameters, {}));
  const LoopGenerator generator;
  std::vector<tune::Positions> rows;
  for (tune::ConfigurationId id = 0; id < all.size(); ++id)
    if (generator.accepts(request, tune::parameters_of(all, id))) rows.push_back(all.positions(id));
  return value_or_throw(tune::SearchSpace::of_rows(std::move(parameters), rows));
}

std::int64_t elements_of(const LoopOver& over) {
  return static_cast<std::int64_t>(over.subset != nullptr ? over.subset->sizes[1]
                                                          : over.set->sizes[1]);
}

}  // namespace

LoopTunable::LoopTunable(Session& session, const PreparedLoop& loop)
    : session_(session),
      loop_(loop),
      request_(make_request(loop.shape(), session.loop_device(), elements_of(loop.over()))),
      space_(space_of(loop.shape(), session.loop_device(), request_)) {}

std::string LoopTunable::label() const {
  return fmt::format("loop {} over {} elements", loop_.name(), request_.problem_size);
}
std::string LoopTunable::identity() const {
  return fmt::format("{} {} {} {}", request_.family, request_.version, request_.problem_class,
                     request_.problem_size);
}
tune::TuningProblem LoopTunable::problem() const {
  return {request_.family, request_.version, request_.problem_class, request_.problem_size};
}

/// What is used where nothing is on record, with the block that the work gives, or the next larger
/// one that the space has.
std::optional<tune::ConfigurationId> LoopTunable::standard() const {
  Parameters values = LoopGenerator().defaults(request_);
  const std::int64_t block = default_block(loop_.shape(), form_of(values), request_.problem_size,
                                           session_.device()->compute_units);
  for (const auto& parameter : space_.parameters()) {
    const bool has_value = values.get(parameter.name, -1) != -1;
    if (parameter.name == "BLOCK") {
      std::int64_t nearest = *parameter.values.back().to_integer();
      for (const auto& value : parameter.values)
        if (const auto number = *value.to_integer(); number >= block)
          nearest = std::min(nearest, number);
      values.set("BLOCK", nearest);
    } else if (!has_value) {
      values.set(parameter.name, *parameter.values.front().to_integer());
    }
  }
  return tune::configuration_of(space_, values);
}

std::unique_ptr<tune::Bench> LoopTunable::open(Resolver& resolver, const ContextPtr& context,
                                               const Queue&) const {
  if (context != session_.context())
    throw Error(Errc::unsupported, label() + ": is measured on the data of its own Mesh only");
  return std::make_unique<LoopBench>(session_, loop_, request_, space_, resolver);
}

}  // namespace kiln::mesh
