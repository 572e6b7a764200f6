#include "blas/tune/blas_tunable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "blas/call/problem_class.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "blas/tune/campaign_plan.hpp"
#include "store/default_store.hpp"
#include "tune/search/journal.hpp"
#include "tune/worker/child.hpp"
#include "tune/worker/worker.hpp"

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
Expected<tune::SearchSpace> tuning_space(const Call& call, const TuningDevice& device) try {
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
  auto rows = tune::accepted_rows(parameters, [&](const Parameters& values) {
    return generator->accepts(request, values) &&
           (request.family != "blas.gemm" || values == defaults ||
            fits_registers(call, device, values));
  });
  keep_used(parameters, rows);
  return tune::SearchSpace::of_rows(std::move(parameters), rows);
} catch (const Error& error) {
  return tl::unexpected(error);
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
  tune::TuningProblem problem() const override { return tune::TuningProblem::of(request_); }
  std::vector<std::string> classes_like() const override {
    return blas::classes_like(request_.problem_class);
  }
  const tune::SearchSpace& space() const override { return space_; }
  std::optional<tune::ConfigurationId> standard() const override {
    return configuration_of(space_, defaults_);
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
  return {device.type == Device::Type::cpu, device.native_floats, blas::gemm_form(device),
          device.compute_units};
}

Expected<std::unique_ptr<tune::Tunable>> make_blas_tunable(const Call& call,
                                                           const TuningDevice& device) {
  auto space = tuning_space(call, device);
  if (!space) return tl::unexpected(space.error());
  return std::make_unique<BlasTunable>(call, device, *std::move(space));
}

// ---- Calls as searches
namespace {

using Json = nlohmann::ordered_json;

/// Calls in one child process: the size of its answer is limited.
constexpr std::size_t calls_each_child = 256;

/// No side of a matrix is longer; longer ones in records are ignored.
constexpr std::int64_t longest_side = std::int64_t{1} << 30;

OnRecord on_record(const Call& call, const TuningRecord& record, std::int64_t size) {
  OnRecord known;
  for (const auto& one : record.history) {
    if (one.of != Measurement::Of::kiln || !(one.milliseconds > 0) || one.size <= 0 ||
        one.size > longest_side)
      continue;
    const auto [less, more] = std::minmax(one.size, size);
    known.is_near |= more <= longest_side && 4 * more <= 5 * less;
    Call square = call;
    square.m = square.n = square.k = static_cast<std::size_t>(one.size);
    known.best_rate =
        std::max(known.best_rate, rate_of(contiguous(square), one.milliseconds * 1e-3));
  }
  return known;
}

}  // namespace

BlasDevice look_at_blas_device(const tune::FindDevice& find_device) {
  const auto more = [](const Device& device) {
    const auto facts = TuningDevice::of(device);
    return tune::dumped({facts.is_cpu, facts.native_floats, facts.gemm_form, facts.compute_units});
  };
  auto known = tune::look_at_device(find_device, more);
  const Json facts = Json::parse(known.more);
  return {std::move(known), {facts[0], facts[1], facts[2], facts[3]}};
}

tune::SearchTask blas_task(const Call& call, const BlasDevice& device, const SearchPlace& place) {
  return {value_or_throw(make_blas_tunable(call, device.facts)), device.known, place.find_device,
          place.store, place.compile};
}

std::vector<OnRecord> look_at_records(const SearchPlace& place, std::span<const Call> calls) {
  std::vector<OnRecord> known;
  for (std::size_t done = 0; done < calls.size(); done += calls_each_child) {
    const auto some = calls.subspan(done, std::min(calls_each_child, calls.size() - done));
    const auto look = [&] {
      const auto device = place.find_device();
      const auto facts = TuningDevice::of(*device);
      const Resolver resolver(value_or_throw(open_store(place.store)));
      Json found = Json::array();
      for (const auto& call : some) {
        Request request = tuned_request(call, facts);
        request.version = family_version(request.family);
        const auto one =
            on_record(call, resolver.tuning_record(request, *device), request.problem_size);
        found.push_back({one.is_near, one.best_rate});
      }
      return tune::dumped(found);
    };
    const Json found = Json::parse(value_or_throw(tune::in_child(look, tune::longest_opening)));
    for (const auto& one : found) known.push_back({one[0], one[1]});
  }
  return known;
}

}  // namespace kiln::blas
