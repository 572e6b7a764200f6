#include "spec/tune/tuned_binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/number.hpp"
#include "kernel/program/launch.hpp"
#include "spec/read/names.hpp"
#include "spec/run/job.hpp"

// Binding with tuned values: by hand (bind_with), whether a device can launch the result, and with
// the values on record (find_tuned).
namespace kiln::spec {

Expected<BoundSpec> bind_with(const Spec& spec, const Symbols& symbols,
                              const Parameters& parameters, const BindOptions& options) {
  Symbols all = symbols;
  // Not `set`: a parameter may be a macro of the kernel's alone, which the file does not know.
  for (const auto& [name, value] : parameters) all.set_if.insert_or_assign(name, value);
  auto bound = bind(spec, all, options);
  if (!bound) return bound;
  for (const auto& [name, value] : parameters) {
    std::erase_if(bound->macros, [&](const auto& macro) { return macro.first == name; });
    const auto own = symbols.set.find(name);
    bound->macros.emplace_back(
        name, own == symbols.set.end() ? std::to_string(value) : own->second.text());
  }
  return bound;
}

std::optional<std::int64_t> whole_value(const BoundSpec& bound, const std::string& name) {
  const auto macro = std::find_if(bound.macros.begin(), bound.macros.end(),
                                  [&](const auto& each) { return each.first == name; });
  if (macro != bound.macros.end()) return parse_number<std::int64_t>(macro->second);
  const auto symbol = bound.symbols.find(name);
  if (symbol == bound.symbols.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&symbol->second.data());
  return value == nullptr ? std::nullopt : std::optional(*value);
}

namespace {

std::uint64_t declared_local_bytes(const BoundSpec& bound) {
  std::uint64_t bytes = 0;
  for (const auto& argument : bound.arguments)
    if (argument.kind == ArgumentKind::local) bytes += argument.bytes;
  return bytes;
}

Expected<void> check_local_memory(std::uint64_t bytes, const Device& device) {
  if (bytes <= device.local_memory) return {};
  return fail(Errc::unsupported,
              fmt::format("found {} bytes of local memory a work-group, expected at most {}, what "
                          "{} has",
                          bytes, device.local_memory, device.name));
}

}  // namespace

Expected<void> check_device_fit(const BoundSpec& bound, const Device& device) {
  if (auto fits = check_range(range_of(bound), device); !fits) return fits;
  if (auto fits = check_local_memory(declared_local_bytes(bound), device); !fits) return fits;
  std::uint64_t sum = 0;
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) continue;
    sum += argument.bytes;
    if (argument.bytes > device.max_allocation)
      return fail(
          Errc::unsupported,
          fmt::format("argument {}: found {} bytes, expected at most {}, what {} allows",
                      argument.position, argument.bytes, device.max_allocation, device.name));
  }
  if (sum <= device.global_memory) return {};
  return fail(Errc::unsupported,
              fmt::format("found buffers of {} bytes together, expected at most {}, what {} has",
                          sum, device.global_memory, device.name));
}

Expected<void> check_kernel_fit(const BoundSpec& bound, const Program& program,
                                const std::string& kernel) {
  const Device& device = *program.device();
  static_cast<void>(program.kernel(kernel));  // throws, naming the kernels that the source has
  try {
    const cl::Kernel compiled(program.cl(), kernel.c_str());
    const auto most = compiled.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device.handle);
    std::size_t group = 1;  // at most the device's own, which check_device_fit has asked for
    for (const auto size : bound.local) group *= size;
    if (group > most)
      return fail(Errc::unsupported,
                  fmt::format("found work-groups of {} work-items, expected at most {}, what {} "
                              "allows this kernel",
                              group, most, device.name));
    // Arguments that are not set yet count for nothing in the driver's answer.
    const auto own = compiled.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device.handle);
    return check_local_memory(own + declared_local_bytes(bound), device);
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

namespace {

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
