#include "blas/api/refusal.hpp"

#include <fmt/format.h>

namespace kiln::blas {

std::string full_name_of(const Call& call) {
  return letter(call.precision) + std::string(name_of(call.routine));
}

void throw_refusal(const Call& call, Status status) {
  if (status == Status::success) return;
  const std::string name = full_name_of(call);
  switch (status) {
    case Status::invalid_device:
      throw Error(Errc::unsupported, name + ": the device has no double precision");
    case Status::not_implemented:
      throw Error(Errc::unsupported, name + ": not implemented");
    case Status::invalid_value:
      throw Error(Errc::bad_input, name + ": BLAS does not define this combination of options");
    default:
      throw Error(Errc::bad_input, name + ": " + text_of(status));
  }
}

Execution execution_of(std::span<const cl_command_queue> queues, std::span<const cl_event> after,
                       std::span<cl_event> events) {
  if (queues.empty()) throw Error(Errc::bad_input, "missing queue: a call needs at least one");
  if (!events.empty() && events.size() < queues.size())
    throw Error(Errc::bad_input,
                fmt::format("found room for {} event{}, expected one for each of {} queues",
                            events.size(), events.size() == 1 ? "" : "s", queues.size()));
  return {queues, after, events.empty() ? nullptr : events.data()};
}

}  // namespace kiln::blas
