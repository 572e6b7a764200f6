#pragma once

#include "cli/context.hpp"
#include "kiln/spec.hpp"

/// The options about specification files that several sub-commands share, as the spec module
/// takes them. Each throws kiln::Error for a value that it cannot read.
namespace kiln::cli {

/// --dialect
spec::SpecDialect dialect_of(const Context& context);
/// --set and --set-if
spec::Symbols symbols_of(const Context& context);

}  // namespace kiln::cli
