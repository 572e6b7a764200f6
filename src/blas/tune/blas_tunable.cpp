#include "blas/tune/blas_tunable.hpp"

#include <fmt/format.h>

#include "blas/gemm/gemm_form.hpp"
#include "blas/problem_class.hpp"
#include "blas/tune/blas_bench.hpp"
#include "blas/tune/blas_compiler.hpp"
#include "blas/tune/tuned_family.hpp"

namespace kiln::blas {
namespace {

class BlasTunable : public tune::Tunable {
 public:
  BlasTunable(const Call& call, const TuningDevice& device, tune::SearchSpace space)
      : call_(call), request_(tuned_request(call, device)), space_(std::move(space)) {
    const auto generator = generator_of(request_.family);
    version_ = generator->version();
    defaults_ = generator->defaults(request_);
  }

  std::string label() const override {
    return fmt::format("{}{}, m {}, n {}, k {} ({})", letter(call_.precision),
                       name_of(call_.routine), call_.m, call_.n, call_.k, request_.problem_class);
  }
  std::string identity() const override {
    return fmt::format("{} {} {} m {} n {} k {}", request_.family, version_, request_.problem_class,
                       call_.m, call_.n, call_.k);
  }
  tune::TuningProblem problem() const override {
    return {request_.family, version_, request_.problem_class, request_.problem_size};
  }
  const tune::SearchSpace& space() const override { return space_; }
  std::optional<tune::ConfigurationId> standard() const override {
    tune::Positions at;
    for (const auto& parameter : space_.parameters())
      at.push_back(static_cast<std::uint16_t>(
          position_of(parameter, expr::Value(defaults_.get(parameter.name, 0)))));
    return space_.find(at);
  }
  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr&,
                                    const Queue& queue) const override {
    return std::make_unique<BlasBench>(call_, request_.family, space_, defaults_, resolver, queue);
  }
  std::unique_ptr<tune::Compiler> open_compiler(Resolver& resolver, const ContextPtr&,
                                                const Queue& queue) const override {
    return std::make_unique<BlasCompiler>(call_, request_.family, space_, resolver, queue);
  }

 private:
  Call call_;
  Request request_;
  tune::SearchSpace space_;
  Parameters defaults_;
  std::int64_t version_ = 0;
};

}  // namespace

TuningDevice TuningDevice::of(const Device& device) {
  return {device.type == Device::Type::cpu, device.native_floats,
          blas::gemm_form(device),          device.local_memory,
          device.max_work_group_size,       device.compute_units};
}

Expected<std::unique_ptr<tune::Tunable>> make_blas_tunable(const Call& call,
                                                           const TuningDevice& device) {
  auto space = tuning_space(call, device);
  if (!space) return tl::unexpected(space.error());
  return std::make_unique<BlasTunable>(call, device, *std::move(space));
}

}  // namespace kiln::blas
