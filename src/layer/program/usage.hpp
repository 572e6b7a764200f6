#pragma once

#include "kernel/resolver/resolver.hpp"
#include "layer/program/program_request.hpp"

// Which programs an application has built, as records in the store: so that they can be exported
// for it, and compiled before it starts.
namespace kiln::layer {

/// Notes that this process has built a program. Costs a look-up where that is on record.
void note_use(Resolver& resolver, const ProgramText& text, const Device& device,
              const Resolver::Startable& found);

}  // namespace kiln::layer
