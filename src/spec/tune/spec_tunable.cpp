#include "spec/tune/spec_tunable.hpp"

#include "spec/tune/bind_with.hpp"
#include "spec/tune/problem.hpp"
#include "spec/tune/record.hpp"
#include "spec/tune/spec_bench.hpp"
#include "spec/tune/spec_compiler.hpp"

namespace kiln::spec {
namespace {

class SpecTunable final : public tune::Tunable {
 public:
  explicit SpecTunable(TuningProblemPtr problem) : problem_(std::move(problem)) {}

  std::string label() const override { return problem_->label; }
  std::string identity() const override { return problem_->identity; }
  tune::TuningProblem problem() const override {
    const Request request = problem_->request();
    return {request.family, request.version, request.problem_class, problem_size(problem_->base)};
  }
  const tune::SearchSpace& space() const override { return problem_->space; }

  /// The values that the file has without parameters.
  std::optional<tune::ConfigurationId> standard() const override {
    if (!problem_->runs_untuned) return std::nullopt;
    tune::Positions positions;
    for (const auto& parameter : problem_->space.parameters()) {
      const auto value = whole_value(problem_->base, parameter.name);
      const auto at = value ? tune::position_of(parameter, *value) : parameter.values.size();
      if (at == parameter.values.size()) return std::nullopt;
      positions.push_back(static_cast<std::uint16_t>(at));
    }
    return problem_->space.find(positions);
  }

  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr&,
                                    const Queue& queue) const override {
    return std::make_unique<SpecBench>(problem_, resolver, queue);
  }

  std::unique_ptr<tune::Compiler> open_compiler(Resolver& resolver, const ContextPtr&,
                                                const Queue& queue) const override {
    return std::make_unique<SpecCompiler>(problem_, resolver, queue);
  }

 private:
  TuningProblemPtr problem_;
};

}  // namespace

Expected<std::unique_ptr<tune::Tunable>> make_spec_tunable(const SpecTuning& options) {
  auto problem = read_tuning_problem(options);
  if (!problem) return tl::unexpected(problem.error());
  return std::make_unique<SpecTunable>(*std::move(problem));
}

}  // namespace kiln::spec
