#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "kiln/spec/run.hpp"

/// The options about specification files that several sub-commands share, as the spec module takes
/// them.
namespace kiln::cli {

// Each throws Error (bad input) for a value that it cannot read.

/// --dialect
spec::SpecDialect dialect_of(const Context& context);
/// --set and --set-if
spec::Symbols symbols_of(const Context& context);
/// --in, --out or --expect: argument positions with a file each.
std::map<std::uint32_t, std::filesystem::path> files_of(const Context& context,
                                                        std::string_view option);

/// --define: macros with their values. As compilers do: a macro without a value is 1.
std::vector<std::pair<std::string, std::string>> macros_of(const Context& context);

/// The value of --local-size: one to three positive numbers with `x` or `,` between them. An empty
/// text gives nothing.
std::vector<std::uint32_t> parse_local_size(const std::string& text);

/// What the options of `kiln run` ask of every spec.
spec::SpecRunOptions run_options_of(const Context& context);

}  // namespace kiln::cli
