#include "cli/verify_options.hpp"

#include "cli/common_options.hpp"

namespace kiln::cli {
namespace {

constexpr Option verify_options[] = {
    options::set,
    options::set_if,
    options::devices,
    {.name = "datasets",
     .kind = Kind::text,
     .value_name = "LIST",
     .help = "The values of the symbol dataset to try, separated by commas. Default: the value "
             "that --set gives, or 1024."},
    {.name = "splits",
     .kind = Kind::text,
     .value_name = "LIST",
     .help = "The splits to try, separated by commas, each as for kiln run --partition. Default: "
             "0 to 10."},
    options::rtol,
    {.name = "check-bounds",
     .help = "Looks for writes outside of buffers, by zones around each buffer in the runs on one "
             "device; --no-check-bounds leaves it out."},
    options::json,
    options::source_dir,
    options::dialect,
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
};

constexpr Example verify_examples[] = {
    {"kiln verify specs/*.json", "Is every split of these kernels right?"},
    {"kiln verify blur.json --devices cpu/2 --datasets 64,257 --splits 3,5,7 --json",
     "Tries some sizes and splits, for a program to read."},
};

}  // namespace

constinit const Command verify_command{
    .name = "verify",
    .summary = "check that every split of a kernel gives the result of one device",
    .description =
        "Runs each kernel on one device and split over several, and compares the results. Each "
        "spec and split is equal, refused (Kiln will not split this kernel, and says why) or "
        "wrong. The exit code is 1 only where one is wrong, or where a kernel writes outside of "
        "its "
        "buffers.\n\n"
        "Without --devices, a machine with a single processor is split into its two halves.\n\n"
        "What is proved for a kernel and a size is remembered in the store, so that later runs "
        "may send less data to each device.",
    .options = verify_options,
    .positional = spec_files,
    .examples = verify_examples,
};

}  // namespace kiln::cli
