#include "layer/program/usage.hpp"

namespace kiln::layer {

void note_use(Resolver&, const ProgramText&, const Device&, const Resolver::Startable&) {}

}  // namespace kiln::layer
