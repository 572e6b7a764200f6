// `kiln tuned report`: a search as a page.
#include "cli/tune/report.hpp"

#include "base/file.hpp"
#include "cli/common_options.hpp"
#include "cli/file_options.hpp"
#include "cli/output_file.hpp"
#include "cli/tuned/commands.hpp"
#include "cli/tuned/searches.hpp"
#include "cli/written_files.hpp"

namespace kiln::cli {
namespace {

constexpr Option tuned_report_options[] = {options::output, options::store};
constexpr Example tuned_report_examples[] = {
    {"kiln tuned report gemm.jsonl -o gemm.html", "How did the search go, and what matters?"},
};

}  // namespace

constinit const Command tuned_report_command{
    .name = "tuned report",
    .summary = "draw a search as a page for a browser",
    .description =
        "Makes one HTML page of a search's journal, whether it has ended or not, or of a search "
        "that the store has on record (kiln tuned ls --searches): the best time so "
        "far by evaluation and by time, how much each parameter matters, the times by each "
        "parameter's value, failures by reason, the ten fastest configurations. The page needs "
        "nothing outside itself.",
    .options = tuned_report_options,
    .positional = {.value_name = "JOURNAL",
                   .help =
                       "The journal of a search, which kiln tune prints, or the first letters of "
                       "a search on record.",
                   .least = 1,
                   .most = 1,
                   .kind = Kind::file},
    .examples = tuned_report_examples,
};

int tuned_report(Context& context) {
  const std::string& page = required_output(context);
  const auto run = search_named(context, context.arguments().front());
  value_or_throw(write_file(page, as_bytes(report_page(run))));
  return 0;
}

}  // namespace kiln::cli
