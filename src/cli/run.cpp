// `kiln run`: the body.
#include "cli/run.hpp"

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/isolate.hpp"
#include "cli/kernel_output.hpp"
#include "cli/oclgrind.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_output.hpp"
#include "cli/run_spec.hpp"
#include "cli/timeline_files.hpp"
#include "cli/written_files.hpp"

namespace kiln::cli {
namespace {

/// The worst exit code so far wins: a bad spec among good ones must not go unseen.
void note(int& worst, int code) { worst = std::max(worst, code); }

int run_here(const Context& context) {
  end_with_parent();
  const RunOptions options = run_options_of(context);
  const bool records = context.has("trace") || context.has("gantt");
  Session session(context);
  Timeline timeline;
  int worst = 0;
  Progress progress("run", context.arguments().size());
  using Printed = KernelOutputOfSpecs;
  Printed printed(context.flag("json") ? Printed::To::json : Printed::To::errors,
                  Printed::Shown::all, progress);
  for (const std::string& file : context.arguments()) {
    stop_if_interrupted();
    progress.note(file);
    try {
      if (options.bounds == Bounds::checked)
        if (const auto found = oclgrind_finding(context, file); found && !found->empty())
          throw Error(Errc::device, *found);
      const SpecRun result = run_spec(file, options, session, records ? &timeline : nullptr);
      const KernelText text = printed.take();
      progress.hide();
      print_run(context, result, text);
      if (!result.difference.empty()) note(worst, 1);
    } catch (const Error& error) {
      if (session.has_no_devices()) throw;  // said once, not for every spec
      const KernelText text = printed.take();
      progress.hide();
      print_failure(context, file, error, text);
      note(worst, exit_code(error.code()));
    }
    progress.advance();
  }
  if (context.has("trace")) write_trace(timeline, context.text("trace"));
  if (context.has("gantt")) write_gantt(timeline, context.text("gantt"));
  return worst;
}

}  // namespace

int run_specs(Context& context) {
  if (context.has("out") && context.arguments().size() > 1)
    throw Error(Errc::bad_input,
                fmt::format("--out: found {} specs, expected one: each would write the same file",
                            context.arguments().size()));
  check_written_files(context);
  // A kernel that hangs can only be ended with its process; silence would promise a bound.
  if (!context.flag("isolate") && context.number("timeout") > 0 &&
      context.origin("timeout").from == Origin::From::command_line)
    throw Error(
        Errc::bad_input,
        "--timeout: found no --isolate, expected both: a kernel is stopped with its process");
  if (context.flag("check-bounds") && context.flag("legacy"))
    throw Error(Errc::bad_input,
                "--check-bounds cannot be combined with --legacy: the original's slices have no "
                "room around them");
  return context.flag("isolate") ? run_isolated(context) : run_here(context);
}

}  // namespace kiln::cli
