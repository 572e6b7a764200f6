#include "cli/run_options.hpp"

#include <fmt/format.h>

#include "cli/common_options.hpp"
#include "cli/local_size.hpp"
#include "cli/spec_options.hpp"
#include "cli/timeline_options.hpp"
#include "cli/written_files.hpp"

namespace kiln::cli {
namespace {

constexpr Option run_options[] = {
    options::set,
    options::set_if,
    {.name = "partition",
     .kind = Kind::text,
     .value_name = "P",
     .help = "How the work is split over the devices: 0 to 10 (tenths for the first device), "
             "weights W1:W2:… with one for each device, auto (measured and remembered) or "
             "dynamic (in shrinking chunks). Default: the class that the spec names."},
    options::devices,
    {.name = "in",
     .kind = Kind::file_assignment,
     .value_name = "P=FILE",
     .help = "Reads the data of argument P from a .npy file.",
     .repeat = Repeat::yes},
    {.name = "out",
     .kind = Kind::file_assignment,
     .access = Access::write,
     .value_name = "P=FILE",
     .help = "Writes argument P to a .npy file after the run.",
     .repeat = Repeat::yes},
    {.name = "expect",
     .kind = Kind::file_assignment,
     .value_name = "P=FILE",
     .help = "Compares argument P with a .npy file after the run; a difference gives exit code 1.",
     .repeat = Repeat::yes},
    options::rtol,
    {.name = "check-bounds",
     .help = "Looks for accesses outside of buffers: with oclgrind where that is installed (every "
             "access, and slow), and by zones around each buffer, which show what is written just "
             "before or behind it. One that is found gives exit code 1."},
    {.name = "seed",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "Start of the random numbers that fill inputs without --in.",
     .fallback = "0"},
    options::trace,
    options::gantt,
    {.name = "explain",
     .help = "Says for each program which layer answered, why the earlier ones did not, and what "
             "each step cost."},
    options::json,
    {.name = "isolate",
     .help = "Runs each spec in a process of its own, so that a kernel which crashes or hangs "
             "fails alone."},
    {.name = "timeout",
     .kind = Kind::number,
     .value_name = "SECONDS",
     .help = "The time that each spec may take; 0 is no bound. Requires --isolate.",
     .fallback = "0"},
    options::source_dir,
    options::dialect,
    {.name = "legacy",
     .help = "Splits with the offsets and sizes of the original program, for comparison. The "
             "result may be wrong."},
    {.name = "local-size",
     .kind = Kind::text,
     .value_name = "N[xN[xN]]",
     .help = "The local size, as 64 or 16x16, in place of the spec's."},
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
    {.name = "runs",
     .kind = Kind::integer,
     .value_name = "N",
     .help = "How often each spec runs.",
     .fallback = "1",
     .least = 1},
    {.name = "quiet", .help = "Prints errors only.", .letter = 'q'},
};

constexpr Example run_examples[] = {
    {"kiln run vector_add.json --set dataset=1048576", "Runs a kernel with random data."},
    {"kiln run vector_add.json --in 0=a.npy --in 1=b.npy --out 2=c.npy",
     "Runs it with data from files."},
    {"kiln run vector_add.json --devices cpu/2 --partition 5 --trace out.json",
     "Splits the work evenly over two halves of the processor and records the timeline."},
    {"kiln run vector_add.json --check-bounds", "Does the kernel stay within its buffers?"},
    {"kiln run --isolate --timeout 25 --json specs/*.json",
     "Runs many specs, each in a process of its own."},
};

}  // namespace

constinit const Command run_command{
    .name = "run",
    .summary = "run the kernels of specification files on the devices of this machine",
    .description =
        "Reads each specification file, gets its program from the store or compiles it, fills "
        "the arguments, runs the kernel on one device or split over several, and reads the "
        "results back.\n\n"
        "A split run gives the same result as a run on one device. Where that cannot be shown, "
        "the kernel runs on one device, and the reason is printed.",
    .options = run_options,
    .positional = spec_files,
    .examples = run_examples,
};

RunOptions run_options_of(const Context& context) {
  RunOptions options;
  options.symbols = symbols_of(context);
  options.dialect = dialect_of(context);
  for (const auto& folder : context.list("source-dir")) options.source_dirs.emplace_back(folder);
  if (context.has("partition"))
    options.partition = value_or_throw(Partition::parse(context.text("partition")));
  for (const auto size : parse_local_size(context.text("local-size")))
    options.local_size.push_back(size);
  options.inputs = files_of(context, "in");
  options.outputs = files_of(context, "out");
  options.expectations = files_of(context, "expect");
  options.written = files_written_by(context);
  if (context.has("rtol")) options.rtol = context.number("rtol");
  options.seed = static_cast<std::uint64_t>(context.integer("seed"));
  options.runs = context.integer("runs");
  options.legacy = context.flag("legacy");
  if (context.flag("check-bounds")) options.bounds = Bounds::checked;
  return options;
}

}  // namespace kiln::cli
