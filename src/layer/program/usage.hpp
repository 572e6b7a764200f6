#pragma once

#include <string>

#include "kernel/resolver/resolver.hpp"

// What this process notes of the programs that it builds (usage_record.hpp). Nothing here throws;
// where the store takes no more, no more is noted.
namespace kiln::layer {

/// Notes that this process has built a program. Costs a look-up where that is on record, the first
/// time in a process the reading of the record; else it is written at once.
void note_use(Resolver& resolver, const Request& request, const Device& device,
              const Resolver::Startable& found) noexcept;

/// Notes that a launch needs a variant of a program that was noted before.
void note_variant(Resolver& resolver, const Key& artifact, const KernelVariant& variant) noexcept;

}  // namespace kiln::layer
