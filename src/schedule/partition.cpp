#include "schedule/partition.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numeric>

#include "schedule/auto_split.hpp"

namespace kiln {
namespace {

Error malformed(std::string_view text) {
  return {
      Errc::bad_input,
      fmt::format("partition: found '{}', expected 0 to 10, weights such as 3:1, auto or dynamic",
                  text)};
}

Expected<double> weight(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    return tl::unexpected(malformed(whole));
  return value;
}

}  // namespace

Expected<Partition> Partition::parse(std::string_view text) {
  Partition partition;
  if (text == "auto" || text == "dynamic") {
    partition.kind = text == "auto" ? Kind::automatic : Kind::dynamic;
    return partition;
  }
  if (text.find(':') == std::string_view::npos) {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), partition.share_class);
    if (error != std::errc() || end != text.data() + text.size() || partition.share_class < 0 ||
        partition.share_class > 10)
      return tl::unexpected(malformed(text));
    return partition;
  }
  partition.kind = Kind::weights;
  for (std::string_view rest = text;;) {
    const auto colon = rest.find(':');
    const auto value = weight(rest.substr(0, colon), text);
    if (!value) return tl::unexpected(value.error());
    partition.weights.push_back(*value);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
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

}  // namespace kiln
