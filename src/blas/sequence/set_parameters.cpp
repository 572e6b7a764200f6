#include "blas/sequence/set_parameters.hpp"

#include <algorithm>
#include <utility>

namespace kiln::blas {
namespace {

/// Larger ones are none that any kernel takes.
constexpr std::int64_t largest_value = 1 << 16;

/// Gives a parameter the value, or the nearest that goes with the others; leaves it where none
/// does.
void set_nearest(Parameters& parameters, const std::string& name, std::int64_t wanted,
                 const Request& request, const Resolver& resolver) {
  wanted = std::clamp<std::int64_t>(wanted, 1, largest_value);
  const std::int64_t before = parameters.get(name, 0);
  const std::int64_t farthest = std::abs(wanted - before);
  for (std::int64_t distance = 0; distance < farthest; ++distance)
    for (const std::int64_t value : {wanted - distance, wanted + distance}) {
      if (value < 1) continue;
      parameters.set(name, value);
      if (resolver.accepts(request, parameters)) return;
    }
  parameters.set(name, before);
}

}  // namespace

void SetParameters::set(cl_device_id device, const std::string& family, Precision precision,
                        Parameters values) {
  const std::lock_guard lock(mutex_);
  if (values.empty())
    values_.erase({device, family, precision});
  else
    values_[{device, family, precision}] = std::move(values);
  any_ = !values_.empty();
}

ChosenParameters SetParameters::in_place(ChosenParameters chosen, cl_device_id device,
                                         Precision precision, const Request& request,
                                         const Resolver& resolver) const {
  if (!any_.load(std::memory_order_relaxed)) return chosen;
  Parameters wanted;
  {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find({device, request.family, precision});
    if (found == values_.end()) return chosen;
    wanted = found->second;
  }
  Parameters made = chosen.parameters;
  for (const auto& [name, value] : wanted)
    if (made.contains(name)) made.set(name, value);
  // What does not go together goes in turn, each with what was there of the others.
  if (!resolver.accepts(request, made)) {
    made = chosen.parameters;
    for (const auto& [name, value] : wanted)
      if (made.contains(name)) set_nearest(made, name, value, request, resolver);
  }
  return {std::move(made), "set by the application", ""};
}

}  // namespace kiln::blas
