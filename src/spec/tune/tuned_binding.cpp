#include "spec/tune/tuned_binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spec/names.hpp"
#include "spec/tune/bind_with.hpp"
#include "spec/tune/device_fit.hpp"
#include "spec/tune/record.hpp"

namespace kiln::spec {
namespace {

std::string text_of_values(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// Tries measurements as they are looked at; keeps the binding of the last that fits, and why the
/// first that does not is passed over.
class Trial {
 public:
  explicit Trial(const TunedQuestion& question) : question_(question) {}

  bool fits(const Measurement& measurement) {
    if (measurement.parameters.empty()) return false;
    auto bound = usable(measurement);
    if (bound) {
      bound_ = *std::move(bound);
      return true;
    }
    if (reason_.empty())
      reason_ = fmt::format("{} on record: {}", text_of_values(measurement.parameters),
                            bound.error().message());
    return false;
  }
  const std::optional<BoundSpec>& bound() const { return bound_; }
  const std::string& reason() const { return reason_; }

 private:
  Expected<BoundSpec> usable(const Measurement& measurement) const {
    if (!question_.fixed.empty())
      return fail(Errc::refused, question_.fixed + " was not set when they were measured");
    for (const auto& [name, value] : measurement.parameters)
      for (const auto* given : {&question_.symbols.set, &question_.symbols.set_if}) {
        const auto own = given->find(name);
        if (own != given->end() && !(own->second == expr::Value(value)))
          return fail(Errc::refused, fmt::format("{} is set to {}", name, own->second.text()));
      }
    auto bound = bind_with(question_.spec, question_.symbols, measurement.parameters,
                           question_.bind_options);
    if (!bound) return bound;
    if (!scales_to(measurement, *bound))
      return fail(Errc::refused, "they are not known to be right for this size");
    for (const auto& device : question_.all)
      if (auto possible = check_device_fit(*bound, *device); !possible)
        return tl::unexpected(possible.error());
    return bound;
  }

  const TunedQuestion& question_;
  std::optional<BoundSpec> bound_;
  std::string reason_;
};

/// What one device has on record for a size (0: any).
TunedAnswer look_up(Resolver& resolver, const TunedQuestion& question, Request& request,
                    const Device& device) {
  Trial trial(question);
  TunedAnswer answer;
  answer.chosen =
      resolver.choose(request, device, [&](const Measurement& each) { return trial.fits(each); });
  if (answer.chosen.parameters.empty())
    answer.unused = trial.reason();
  else
    answer.bound = trial.bound();
  return answer;
}

TunedAnswer find_for(Resolver& resolver, const TunedQuestion& question, const Device& device,
                     const Expected<BoundSpec>& untuned) {
  Request request = record_request(question.spec, question.source);
  if (untuned) request.problem_size = problem_size(*untuned);
  TunedAnswer answer = look_up(resolver, question, request, device);
  if (untuned || !answer.bound) return answer;
  // The size shows only with some values; another record may be nearer to it.
  request.problem_size = problem_size(*answer.bound);
  return look_up(resolver, question, request, device);
}

std::string values_of(const TunedAnswer& answer) {
  return answer.bound ? text_of_values(answer.chosen.parameters) : "none";
}

}  // namespace

TunedAnswer find_tuned(Resolver& resolver, const TunedQuestion& question,
                       const Expected<BoundSpec>& untuned) {
  std::optional<TunedAnswer> first;
  for (const auto& device : question.working) {
    if (first && device->speed_identity() == question.working.front()->speed_identity()) continue;
    TunedAnswer answer = find_for(resolver, question, *device, untuned);
    if (!first) {
      first = std::move(answer);
    } else if (values_of(*first) != values_of(answer)) {
      return {std::nullopt,
              {},
              fmt::format("the devices that share the work have different values on record ({}: "
                          "{}; {}: {})",
                          question.working.front()->name, values_of(*first), device->name,
                          values_of(answer))};
    }
  }
  return first ? *std::move(first) : TunedAnswer{};
}

bool lacks_symbols(const Spec& spec, const Symbols& symbols) {
  const auto has_value = [&](const std::string& name) {
    if (name == "dataset" || symbols.set.contains(name) || symbols.set_if.contains(name))
      return true;
    if (!spec.symbolic_variables) return false;
    // {"TS": "TS"} declares a symbol and gives it no value.
    return std::any_of(
        spec.symbolic_variables->begin(), spec.symbolic_variables->end(),
        [&](const auto& own) { return own.first == name && own.second.text != name; });
  };
  const auto uses = symbol_uses(spec);
  return std::any_of(uses.begin(), uses.end(),
                     [&](const auto& use) { return !use.second.empty() && !has_value(use.first); });
}

}  // namespace kiln::spec
