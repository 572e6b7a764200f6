#include "cli/devices_options.hpp"

#include "cli/common_options.hpp"

namespace kiln::cli {
namespace {

constexpr Option devices_options[] = {options::devices, options::json};

constexpr Example devices_examples[] = {
    {"kiln devices", "Lists the OpenCL devices of this machine with their indices."},
    {"kiln devices --devices cpu/2", "Shows which devices a selection gives."},
};

}  // namespace

constinit const Command devices_command{
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .description =
        "Lists the devices in the order of their indices, with their platform, driver "
        "and size. With --devices it lists only what the selection gives.",
    .options = devices_options,
    .examples = devices_examples,
};

}  // namespace kiln::cli
