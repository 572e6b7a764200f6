#pragma once

#include "cli/context.hpp"
#include "kiln/spec.hpp"
#include "spec/run/arrays.hpp"

/// The options about specification files that several sub-commands share, as the spec module
/// takes them. Each throws kiln::Error for a value that it cannot read.
namespace kiln::cli {

/// --dialect
spec::SpecDialect dialect_of(const Context& context);
/// --set and --set-if
spec::Symbols symbols_of(const Context& context);
/// --in, --out or --expect: argument positions with a file each.
spec::Files files_of(const Context& context, std::string_view option);

}  // namespace kiln::cli
