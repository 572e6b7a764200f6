#include "schedule/partition.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/data/bytes.hpp"
#include "base/data/number.hpp"
#include "base/log.hpp"
#include "device/opencl.hpp"

namespace kiln {
namespace {

Error malformed(std::string_view text) {
  return {
      Errc::bad_input,
      fmt::format("partition: found '{}', expected 0 to 10, weights such as 3:1, auto or dynamic",
                  text)};
}

}  // namespace

Expected<Partition> Partition::parse(std::string_view text) {
  Partition partition;
  if (text == "auto" || text == "dynamic") {
    partition.kind = text == "auto" ? Kind::automatic : Kind::dynamic;
    return partition;
  }
  if (text.find(':') == std::string_view::npos) {
    const auto share = parse_number<int>(text);
    if (!share || *share < 0 || *share > 10) return tl::unexpected(malformed(text));
    partition.share_class = *share;
    return partition;
  }
  partition.kind = Kind::weights;
  for (std::size_t at = 0, colon = 0; colon != text.npos; at = colon + 1) {
    colon = text.find(':', at);
    const auto weight = parse_number<double>(text.substr(at, colon - at));
    if (!weight || !std::isfinite(*weight) || *weight < 0) return tl::unexpected(malformed(text));
    partition.weights.push_back(*weight);
  }
  const double sum = std::accumulate(partition.weights.begin(), partition.weights.end(), 0.0);
  if (sum <= 0)
    return fail(Errc::bad_input,
                fmt::format("partition: found '{}', expected a weight above 0", text));
  if (!std::isfinite(sum))
    return fail(Errc::bad_input,
                fmt::format("partition: found '{}', expected weights with a finite sum", text));
  return partition;
}

std::string Partition::text() const {
  switch (kind) {
    case Kind::automatic:
      return "auto";
    case Kind::dynamic:
      return "dynamic";
    case Kind::share_class:
      return std::to_string(share_class);
    case Kind::weights:
      break;
  }
  return fmt::format("{}", fmt::join(weights, ":"));
}

Expected<std::vector<double>> Partition::weights_for(std::size_t devices) const {
  if (kind == Kind::share_class) return class_weights(share_class, devices);
  if (weights.size() != devices)
    return fail(Errc::bad_input,
                fmt::format("partition: found {} weights ({}), expected {}, one for each device",
                            weights.size(), text(), devices));
  return weights;
}

RunReport run_partition(CoRun& run, const Partition& partition) {
  switch (partition.kind) {
    case Partition::Kind::automatic:
      return AutoSplit(run).run();
    case Partition::Kind::dynamic:
      return run.run_dynamic();
    default:
      return run.run(value_or_throw(partition.weights_for(run.device_count())));
  }
}

namespace {

constexpr std::uint32_t model_schema = 2;

std::vector<double> guess_speeds(const CoRun& run) {
  std::vector<double> speeds;
  bool alike = true;
  for (std::size_t i = 0; i < run.device_count(); ++i) {
    speeds.push_back(run.device(i).compute_units);
    alike = alike && run.device(i).fingerprint() == run.device(0).fingerprint();
  }
  // Compute units of different devices cannot be compared; then all start equal.
  if (!alike) speeds.assign(speeds.size(), 1);
  return speeds;
}

/// As many as a number holds, where they are more.
std::size_t items_of(const NDRange& range) {
  return (CheckedSize(range.global[0]) * range.global[1] * range.global[2])
      .at_most(std::numeric_limits<std::size_t>::max());
}

/// Program, kernel, device set and the power of two below the number of work-items.
Bytes canonical_model(CoRun& run) {
  const auto& range = run.job().range;
  const std::size_t items = items_of(range);
  CanonicalWriter writer("split model", 1);
  writer.digest("program", run.program_key().digest)
      .text("kernel", run.job().kernel)
      .integer("size class", std::bit_width(items))
      .integer("dimensions", range.dimensions);
  for (std::size_t i = 0; i < run.device_count(); ++i)
    writer.text("device", run.device(i).speed_identity());
  return writer.view();
}

}  // namespace

AutoSplit::AutoSplit(CoRun& run)
    : run_(run), canonical_(canonical_model(run)), model_(guess_speeds(run)) {
  Layer* store = run_.resolver().store();
  if (store == nullptr) return;
  const auto lookup = store->get(Kind::record, key_of(canonical_), canonical_);
  if (!lookup.entry || lookup.entry->metadata.schema != model_schema) return;
  if (auto stored = SplitModel::decode(lookup.entry->content, run_.device_count()))
    model_ = *stored;
}

std::vector<double> AutoSplit::weights() const {
  const auto shares = model_.choose();
  return {shares.begin(), shares.end()};
}

RunReport AutoSplit::run() {
  refuse_after_fork();
  const auto shares = model_.choose();
  const std::vector<double> chosen(shares.begin(), shares.end());
  RunReport report = run_.run(chosen);
  if (!report.reason.empty()) return report;  // not split: nothing to learn

  // Times are kept per work-item, since a size class spans a factor of two.
  const double items = static_cast<double>(items_of(run_.job().range));
  std::vector<SplitModel::DeviceTime> times;
  for (const auto& share : report.shares)
    times.push_back({static_cast<double>(share.kernel_ns) / items,
                     static_cast<double>(share.transfer_ns) / items});
  using Standing = SplitModel::Standing;
  // A run that is made twice, or merged for the last time, is not what the next one will be.
  const bool passing = report.confirmed || (report.merged && run_.will_run_in_place());
  const Standing standing = passing ? Standing::unlike : warm_ ? Standing::warm : Standing::cold;
  warm_ = true;
  model_.learn(shares, times, static_cast<double>(report.wall_ns) / items, standing);
  save();
  return report;
}

void AutoSplit::save() const {
  Layer* store = run_.resolver().store();
  if (store == nullptr) return;
  const Metadata metadata{model_schema, run_.job().kernel, run_.device(0).fingerprint(), 0};
  const auto kept =
      store->put(Kind::record, key_of(canonical_), canonical_, model_.encode(), metadata);
  if (!kept) log(LogLevel::info, "the split model is not kept: " + kept.error().message());
}

}  // namespace kiln
