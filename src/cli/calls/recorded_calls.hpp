#pragma once

#include "cli/command/command.hpp"
#include "prebuild/build_call.hpp"

/// The calls that an application makes: the sub-commands `record` and `prebuild`.
namespace kiln::cli {

extern const Command record_command;
int record(Context& context);

extern const Command prebuild_command;
int prebuild(Context& context);
/// The same of --used-by.
int prebuild_application(Context& context);

/// How this program builds the programs of loops over meshes. kiln-mesh does, and has its own
/// definition of this; kiln does not, for the libraries would cost every start, and becomes
/// kiln-mesh where a record has loops.
LoopBuilder loop_builder();

}  // namespace kiln::cli
