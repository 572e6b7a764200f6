#include "cli/spec_binding.hpp"

#include <fmt/format.h>

#include "spec/tune/tuned_binding.hpp"

namespace kiln::cli {
namespace {

void use_local_size(spec::BoundSpec& bound, const std::vector<std::size_t>& sizes,
                    const std::string& file) {
  if (sizes.empty()) return;
  if (sizes.size() != bound.global.size())
    throw Error(Errc::bad_input, fmt::format("{}: --local-size: found {} dimensions, expected {}",
                                             file, sizes.size(), bound.global.size()));
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (bound.global[d] % sizes[d] != 0)
      throw Error(
          Errc::bad_input,
          fmt::format("{}: --local-size: found {}, expected a divisor of the global size {} "
                      "(dimension {})",
                      file, sizes[d], bound.global[d], d));
  bound.local.assign(sizes.begin(), sizes.end());
  bound.local_is_default = false;
}

spec::BindOptions bind_options_of(const RunOptions& options) {
  spec::BindOptions result;
  if (options.partition && options.partition->kind == Partition::Kind::share_class)
    result.partition = options.partition->share_class;
  return result;
}

/// The devices that get a share: those alone whose weight is known to be 0 do not.
std::vector<DevicePtr> working_devices(const Partition& partition,
                                       const std::vector<DevicePtr>& all) {
  const bool fixed =
      partition.kind == Partition::Kind::share_class || partition.kind == Partition::Kind::weights;
  const auto weights = fixed ? partition.weights_for(all.size()) : std::vector<double>();
  if (!fixed || !weights) return all;  // what is wrong with weights is said by the run
  std::vector<DevicePtr> working;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((*weights)[i] > 0) working.push_back(all[i]);
  return working;
}

}  // namespace

Partition partition_of(const RunOptions& options, const spec::BoundSpec& bound) {
  if (options.partition) return *options.partition;
  Partition own;
  own.share_class = bound.partition;
  return own;
}

Expected<spec::BoundSpec> bind_untuned(const spec::Spec& loaded, const RunOptions& options,
                                       const std::string& file) {
  auto bound = spec::bind(loaded, options.symbols, bind_options_of(options));
  if (bound) use_local_size(*bound, options.local_size, file);
  return bound;
}

SpecBinding bind_tuned(const spec::Spec& loaded, const RunOptions& options, Resolver& resolver,
                       const std::vector<DevicePtr>& devices, const SourcePtr& source,
                       Expected<spec::BoundSpec> untuned) {
  SpecBinding result;
  spec::BoundSpec unknown;
  unknown.partition = loaded.partition.value_or(10);
  spec::TunedQuestion question{loaded,
                               *source,
                               options.symbols,
                               bind_options_of(options),
                               {},
                               devices,
                               options.local_size.empty() ? "" : "--local-size"};
  question.working =
      working_devices(partition_of(options, untuned ? *untuned : unknown), question.all);
  auto answer = spec::find_tuned(resolver, question, untuned);
  result.tuned = std::move(answer.chosen);
  result.not_tuned = std::move(answer.unused);
  if (answer.bound) untuned = *std::move(answer.bound);
  result.bound = value_or_throw(std::move(untuned));
  return result;
}

}  // namespace kiln::cli
