#pragma once

#include <span>

#include "blas/call/call.hpp"
#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"

namespace kiln::blas {

/// A call as a record of calls has it (docs/formats/calls.md): its Shape, and the work it is.
RecordedCall recorded_call(const Call& call, std::span<const DevicePtr> devices);

/// The call of a record: its operands have strides and no memory; an alpha that is neither 0 nor 1
/// is 2. Nothing is validated but that every field could be one's. Error: bad_input, with the name
/// of the field.
Expected<Call> call_of(const RecordedCall& recorded);

/// Where calls like this one are counted in this process; null where nothing is recorded.
CallCounter* counter_of(const Call& call, std::span<const DevicePtr> devices);

}  // namespace kiln::blas
