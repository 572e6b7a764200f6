#include "blas/tune/blas_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blas/call/problem_class.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "blas/tune/blas_subject.hpp"

namespace kiln::blas {

namespace {

/// The generator of a tuned_family().
std::unique_ptr<Generator> generator_of(const std::string& family) {
  if (family == GemmGenerator().family()) return std::make_unique<GemmGenerator>();
  for (auto& generator : template_generators())
    if (generator->family() == family) return std::move(generator);
  throw Error(Errc::internal, "no generator of " + family);
}

using Values = std::vector<std::int64_t>;
struct Axis {
  std::string name;
  Values values;
};

Values multiples(std::int64_t of, std::int64_t most) {
  Values values;
  for (std::int64_t value = of; value <= most; value += of) values.push_back(value);
  return values;
}
/// 2^first to 2^last, and what lies in the middle of neighbours.
Values halves_of_powers(unsigned first, unsigned last) {
  Values values;
  for (unsigned power = first; power <= last; ++power) {
    values.push_back(std::int64_t{1} << power);
    if (power < last) values.push_back(std::int64_t{3} << (power - 1));
  }
  return values;
}

std::vector<Axis> axes_of(const std::string& family, const Request& request,
                          const TuningDevice& device) {
  if (family != "blas.gemm") {
    std::vector<Axis> axes;
    for (const auto& [name, value] : generator_of(family)->defaults(request))
      axes.push_back(
          {name, name == "rows" ? Values{64, 128, 192, 256, 384, 512} : halves_of_powers(8, 15)});
    return axes;
  }
  if (!is_cpu_form(device.gemm_form))
    return {{"rows", multiples(64, 256)},
            {"columns", multiples(64, 256)},
            {"depth", {4, 8, 12, 16, 24, 32}},
            {"stages", {2, 3, 4, 5, 6, 8}}};
  return {{"rows", multiples(2, 128)},
          {"columns", multiples(1, 24)},
          {"depth", {64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 1024}}};
}

/// Whether a tile's sums stay in the registers of a CPU's core, or of a GPU's work-item, with some
/// left for the factors: beyond that compilers spill.
bool fits_registers(const Call& call, const TuningDevice& device, const Parameters& parameters) {
  const std::int64_t parts = is_complex(call.precision) ? 2 : 1;
  const std::int64_t tile = parameters.get("rows", 0) * parameters.get("columns", 0) * parts;
  if (!is_cpu_form(device.gemm_form))
    return tile * (is_double(call.precision) ? 2 : 1) <= 256 * 192;
  const std::int64_t lanes = device.native_floats / (is_double(call.precision) ? 2 : 1);
  return tile / std::max<std::int64_t>(lanes, 2) <= (device.native_floats >= 16 ? 30 : 14);
}

/// Whether a GPU's product of this size takes the tiles for small results where nothing is on
/// record: gpu_product.cpp decides so.
bool is_small(const Call& call, const TuningDevice& device, const Request& request) {
  if (is_cpu_form(device.gemm_form)) return false;
  const GemmTiles tiles = GemmTiles::of(GemmGenerator().defaults(request));
  const std::size_t rows = call.routine == Routine::gemm ? call.m : std::max(call.m, call.n);
  return panels_of(rows, tiles.rows) * panels_of(call.n, tiles.columns) < device.compute_units;
}

/// Takes out the values that no configuration has.
void keep_used(std::vector<tune::Parameter>& parameters, std::vector<tune::Positions>& rows) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto& values = parameters[i].values;
    std::vector<bool> used(values.size(), false);
    for (const auto& row : rows) used[row[i]] = true;
    std::vector<std::uint16_t> place(values.size(), 0);
    std::vector<expr::Value> kept;
    for (std::size_t v = 0; v < values.size(); ++v) {
      place[v] = static_cast<std::uint16_t>(kept.size());
      if (used[v]) kept.push_back(values[v]);
    }
    values = std::move(kept);
    for (auto& row : rows) row[i] = place[row[i]];
  }
}

}  // namespace

std::string tuned_family(const Call& call) {
  if (call.routine >= Routine::gemm) return "blas.gemm";
  switch (call.routine) {
    case Routine::gemv: {
      // A matrix that is stored by rows is the transpose of the one by columns.
      const bool by_rows = call.order == Order::row_major;
      return by_rows == (call.trans_a != Transpose::none) ? "blas.mv_n" : "blas.mv_t";
    }
    case Routine::trsv:
    case Routine::tpsv:
    case Routine::tbsv:
      return "blas.solve";
    default:
      return "";
  }
}

std::int64_t family_version(const std::string& family) { return generator_of(family)->version(); }

Request tuned_request(const Call& call, const TuningDevice& device) {
  Request request;
  request.family = tuned_family(call);
  if (request.family == "blas.gemm") {
    GemmPayload gemm{call.precision, device.gemm_form, false, device.native_floats};
    request.payload = gemm;
    gemm.small = is_small(call, device, request);
    request.payload = gemm;
  } else {
    request.payload = TemplatePayload{call.precision, device.is_cpu, device.native_floats};
  }
  request.problem_class = problem_class_of(call);
  request.problem_size = problem_size_of(call);
  return request;
}

namespace {

/// The values that are worth trying: those that the generator takes, of which the kernel's
/// registers can hold a tile. The defaults are among them. Errors: unsupported, without a family.
Expected<tune::SearchSpace> tuning_space(const Call& call, const TuningDevice& device) {
  const Request request = tuned_request(call, device);
  if (request.family.empty())
    return tl::unexpected(Error(Errc::unsupported, fmt::format("{}: its kernels have no parameters",
                                                               name_of(call.routine))));
  const auto generator = generator_of(request.family);
  const Parameters defaults = generator->defaults(request);
  auto axes = axes_of(request.family, request, device);
  std::vector<tune::Parameter> parameters;
  for (auto& axis : axes) {
    axis.values.push_back(defaults.get(axis.name, axis.values.front()));
    std::sort(axis.values.begin(), axis.values.end());
    axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
    parameters.push_back({axis.name, {axis.values.begin(), axis.values.end()}});
  }
  std::vector<tune::Positions> rows;
  tune::Positions at(axes.size(), 0);
  for (bool more = true; more;) {
    Parameters values;
    for (std::size_t i = 0; i < axes.size(); ++i) values.set(axes[i].name, axes[i].values[at[i]]);
    const bool is_worth_it = request.family != "blas.gemm" || fits_registers(call, device, values);
    if (generator->accepts(request, values) && (is_worth_it || values == defaults))
      rows.push_back(at);
    std::size_t turn = 0;
    while (turn < at.size() && ++at[turn] == axes[turn].values.size()) at[turn++] = 0;
    more = turn < at.size();
  }
  keep_used(parameters, rows);
  return tune::SearchSpace::of_rows(std::move(parameters), rows);
}

class BlasTunable : public tune::Tunable {
 public:
  BlasTunable(const Call& call, const TuningDevice& device, tune::SearchSpace space)
      : call_(call), request_(tuned_request(call, device)), space_(std::move(space)) {
    const auto generator = generator_of(request_.family);
    request_.version = generator->version();
    defaults_ = generator->defaults(request_);
  }

  std::string label() const override {
    return fmt::format("{}{}, m {}, n {}, k {} ({})", letter(call_.precision),
                       name_of(call_.routine), call_.m, call_.n, call_.k, request_.problem_class);
  }
  std::string identity() const override {
    return fmt::format("{} {} {} m {} n {} k {}", request_.family, request_.version,
                       request_.problem_class, call_.m, call_.n, call_.k);
  }
  tune::TuningProblem problem() const override {
    return {request_.family, request_.version, request_.problem_class, request_.problem_size};
  }
  std::vector<std::string> classes_like() const override {
    return blas::classes_like(request_.problem_class);
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
    return std::make_unique<tune::SubjectBench>(
        make_blas_subject(call_, request_, space_, defaults_, resolver, queue), resolver,
        queue.device());
  }
  tune::Compile open_compiler(Resolver& resolver, const ContextPtr&,
                              const Queue& queue) const override {
    return make_blas_compiler(call_, request_.family, space_, resolver, queue);
  }

 private:
  Call call_;
  Request request_;
  tune::SearchSpace space_;
  Parameters defaults_;
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
