#include "tune/measured.hpp"

#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>

#include "base/os/file.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::bench::measured {
namespace {

constexpr std::size_t kSeeds = 100, kRun = 250;

constexpr Pair hub_pairs[] = {
    {"convolution_A4000", "convolution_MI250X"},
    {"convolution_MI250X", "convolution_A4000"},
    {"dedispersion_MI250X", "dedispersion_W7800"},
    {"dedispersion_W7800", "dedispersion_MI250X"},
};

constexpr Pair own_pairs[] = {
    {"sgemm_cpu", "sgemm_gpu", true}, {"dgemm_cpu", "sgemm_cpu", true},
    {"sgemm_gpu", "sgemm_cpu", true}, {"dgemm_gpu", "sgemm_gpu", true},
    {"gemv_gpu", "gemv_cpu", true},   {"transpose_gpu", "transpose_cpu", true},
};

/// KILN_HUB names another folder than ../shared/data/hub next to the source.
fs::path folder(const Context& context, bool own) {
  if (own) return context.source / "bench/tune/spaces";
  const char* const given = std::getenv("KILN_HUB");
  return given ? fs::path(given) : context.source / "../shared/data/hub";
}

tl::expected<const tune::MeasuredSpace*, std::string> named_space(const Context& context,
                                                                  const std::string& name,
                                                                  bool own) {
  static std::map<std::string, tune::MeasuredSpace> read;
  if (const auto found = read.find(name); found != read.end()) return &found->second;
  const fs::path path = folder(context, own) / (name + ".json.gz");
  if (!fs::exists(path)) return not_measured(path.string() + " is absent");
  const auto bytes = read_input(path, std::uint64_t{4} << 30);
  if (!bytes) return not_measured(bytes.error().message());
  auto space = tune::read_measured_space(*bytes, path.string());
  if (!space) return not_measured(space.error().message());
  return &read.emplace(name, *std::move(space)).first->second;
}

/// What a search of this seed knows when it begins.
std::shared_ptr<const tune::Transfer> knowledge(const tune::MeasuredSpace& other,
                                                const tune::MeasuredSpace& space,
                                                std::uint64_t seed) {
  const auto strategy = value_or_throw(tune::make_strategy("", other.space, seed));
  const auto run = tune::replay(other, *strategy, 0.95, kRun, kRun);
  return value_or_throw(tune::Transfer::make(other.space, run.trials, space.space, seed));
}

}  // namespace

std::span<const Pair> hub_spaces() { return hub_pairs; }
std::span<const Pair> own_spaces() { return own_pairs; }

std::string bar_name(std::string_view what, const Pair& pair) {
  std::string name = "tune/" + std::string(what) + "-" + pair.name;
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

tl::expected<const tune::MeasuredSpace*, std::string> space(const Context& context,
                                                            const Pair& pair) {
  return named_space(context, pair.name, pair.own);
}

tl::expected<tune::ReplayFigures, std::string> figures(const Context& context, const Pair& pair,
                                                       std::string_view strategy, Start start) {
  static std::map<std::tuple<std::string, std::string, Start>, tune::ReplayFigures> known;
  const std::tuple key(std::string(pair.name), std::string(strategy), start);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const auto own = space(context, pair);
  if (!own) return not_measured(own.error());
  std::shared_ptr<const tune::Transfer> whole;
  const tune::MeasuredSpace* other = nullptr;
  if (start != Start::cold) {
    const auto found = named_space(context, pair.other, pair.own);
    if (!found) return not_measured(found.error());
    other = *found;
  }
  if (start == Start::whole) {
    const auto trials = other->trials();
    auto made = tune::Transfer::make(other->space, trials, (*own)->space, 1);
    if (!made) return not_measured(made.error().message());
    whole = *std::move(made);
  }
  const auto make = [&](std::uint64_t seed) {
    const auto transfer = start == Start::run ? knowledge(*other, **own, seed) : whole;
    return value_or_throw(tune::make_strategy(strategy, (*own)->space, seed, transfer));
  };
  tune::ReplayOptions options;
  options.seeds = kSeeds;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  return known[key] = tune::replay_seeds(**own, make, options);
}

}  // namespace kiln::bench::measured
