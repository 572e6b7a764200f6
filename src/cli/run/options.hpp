#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "kiln/run.hpp"
#include "kiln/spec.hpp"
#include "schedule/partition.hpp"
#include "spec/run/arrays.hpp"

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
spec::Files files_of(const Context& context, std::string_view option);

/// The value of --local-size: one to three positive numbers with `x` or `,` between them. An empty
/// text gives nothing.
std::vector<std::uint32_t> parse_local_size(const std::string& text);

/// What the options of `kiln run` ask of every spec.
struct RunOptions {
  spec::Symbols symbols;
  spec::SpecDialect dialect = spec::SpecDialect::automatic;
  std::vector<std::filesystem::path> source_dirs;
  std::optional<Partition> partition;   ///< empty: the spec's own class
  std::vector<std::size_t> local_size;  ///< empty: the spec's own
  spec::Files inputs, outputs, expectations;
  std::vector<std::filesystem::path> written;  ///< by --out, --trace and --gantt
  double rtol = 1e-5;
  std::uint64_t seed = 0;
  std::int64_t runs = 1;
  bool legacy = false;
  Bounds bounds = Bounds::unchecked;
};
RunOptions run_options_of(const Context& context);

}  // namespace kiln::cli
