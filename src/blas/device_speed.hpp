#pragma once

#include "blas/types.hpp"
#include "device/context.hpp"
#include "kernel/resolver.hpp"

namespace kiln::blas {

/// What limits a routine: arithmetic (level 3) or memory (level 2).
enum class Limit : std::uint8_t { arithmetic, memory };

/// How fast a device is, in millions of multiply-adds a second: what the work of several devices is
/// shared out by. On record like Parameters (family "blas.speed"); where nothing is, a product of
/// two matrices or of a matrix and a vector is measured on a queue of its own, once a device,
/// precision and limit, which takes some milliseconds. Thread-safe. Throws kiln::Error (build,
/// device).
double device_speed(Resolver& resolver, const ContextPtr& context, const DevicePtr& device,
                    Precision precision, Limit limit);

/// The Request under which that number is on record, as the Parameter "megaflops".
Request speed_request(Precision precision, Limit limit);

}  // namespace kiln::blas
