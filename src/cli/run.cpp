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
#include "cli/standard_streams.hpp"
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
  std::optional<Error> end;
  std::size_t left = context.arguments().size();
  for (const std::string& file : context.arguments()) {
    if (end) break;
    --left;
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
    } catch (const SourceWouldBeLost&) {
      throw;  // it may be the timeline, which is written though a specification fails
    } catch (const Error& error) {
      if (session.has_no_devices()) throw;  // said once, not for every spec
      const KernelText text = printed.take();
      progress.hide();
      auto failure = session.failure(error, left);
      print_failure(context, file, failure.error, text);
      note(worst, exit_code(error.code()));
      end = std::move(failure.end);
    }
    progress.advance();
  }
  if (context.has("trace")) write_trace(timeline, context.text("trace"));
  if (context.has("gantt")) write_gantt(timeline, context.text("gantt"));
  progress.hide();
  if (end) throw *end;
  return worst;
}

/// The standard streams of an isolated run are its connection to this process.
void check_streams_of_isolated(const Context& context) {
  bool uses_streams = false;
  for (const std::string& spec : context.arguments()) uses_streams |= spec == standard_input;
  for (const char* option : {"in", "out", "expect"})
    for (const auto& [position, file] : context.assignments(option))
      uses_streams |= file == standard_input || file == standard_output;
  for (const char* option : {"trace", "gantt"})
    uses_streams |= context.text(option) == standard_output;
  if (uses_streams)
    throw Error(Errc::bad_input,
                "--isolate: a run in a process of its own has no standard input and output of this "
                "one, expected files");
}

}  // namespace

int run_specs(Context& context) {
  if (context.has("out") && context.arguments().size() > 1)
    throw Error(Errc::bad_input,
                fmt::format("--out: found {} specs, expected one: each would write the same file",
                            context.arguments().size()));
  // A kernel that hangs can only be ended with its process; silence would promise a bound.
  if (!context.flag("isolate") && context.number("timeout") > 0 &&
      context.origin("timeout").from == Origin::From::command_line)
    throw Error(Errc::bad_input,
                "--timeout requires --isolate: a kernel can only be stopped with its process");
  if (context.flag("check-bounds") && context.flag("legacy"))
    throw Error(Errc::bad_input,
                "--check-bounds cannot be combined with --legacy: the original's slices have no "
                "room around them");
  if (!context.flag("isolate")) return run_here(context);
  check_streams_of_isolated(context);
  return run_isolated(context);
}

}  // namespace kiln::cli
