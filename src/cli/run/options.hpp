#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "kiln/spec/run.hpp"

/// The sub-commands that work on specification files and devices, and the options about
/// specification files that several of them share, as the spec module takes them.
namespace kiln::cli {

extern const Command run_command, verify_command, check_command, init_command, devices_command;
int run_specs(Context& context);
int verify_specs(Context& context);
int check_specs(Context& context);
int init_spec_file(Context& context);
int list_devices(Context& context);

// Each throws Error (bad input) for a value that it cannot read.

/// --dialect
spec::SpecDialect dialect_of(const Context& context);
/// --set and --set-if
spec::Symbols symbols_of(const Context& context);
/// --in, --out or --expect: argument positions with a file each.
std::map<std::uint32_t, std::filesystem::path> files_of(const Context& context,
                                                        std::string_view option);

/// The value of --local-size: one to three positive numbers with `x` or `,` between them. An empty
/// text gives nothing.
std::vector<std::uint32_t> parse_local_size(const std::string& text);

/// What the options of `kiln run` ask of every spec.
spec::SpecRunOptions run_options_of(const Context& context);

}  // namespace kiln::cli
