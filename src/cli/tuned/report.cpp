// `kiln tuned report`: a search as a page.
#include "cli/tune/report.hpp"

#include "cli/file_options.hpp"
#include "cli/output_file.hpp"
#include "cli/tuned/commands.hpp"

namespace kiln::cli {
namespace {

constexpr Option own_options[] = {options::output};
constexpr Example examples[] = {
    {"kiln tuned report gemm.jsonl -o gemm.html", "How did the search go, and what matters?"},
};

}  // namespace

constinit const Command tuned_report_command{
    .name = "tuned report",
    .summary = "draw a search as a page for a browser",
    .description =
        "Makes one HTML page of a search's journal, whether it has ended or not: the best time so "
        "far by evaluation and by time, how much each parameter matters, the times by each "
        "parameter's value, failures by reason, the ten fastest configurations. The page needs "
        "nothing outside itself.",
    .options = own_options,
    .positional = {.value_name = "JOURNAL",
                   .help = "The journal of a search: kiln tune prints where it is.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file},
    .examples = examples,
};

int tuned_report(Context& context) {
  const std::string& page = required_output(context);
  write_report(context.arguments().front(), page);
  return 0;
}

}  // namespace kiln::cli
