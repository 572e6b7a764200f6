// `kiln run`: runs the kernels of specification files, here or each in a process of its own.

#include "cli/command/commands.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "cli/run/run_output.hpp"
#include "cli/timeline/timeline.hpp"
#include "spec/run_spec.hpp"

namespace kiln::cli {
namespace {

/// The worst exit code so far wins: a bad spec among good ones must not go unseen.
void note(int& worst, int code) { worst = std::max(worst, code); }

/// One run. What it collects for the timeline is kept though it fails.
spec::SpecResult run_file(const std::string& file, const spec::SpecRunOptions& options,
                          const std::vector<std::filesystem::path>& written,
                          Runtime::State& runtime, Timeline* timeline) {
  auto prepared = [&] {
    // A signal may end the process at once only while the first specification is read: an earlier
    // one may have queued entries for the store, which are written before the command ends.
    std::optional<EndsAtOnce> reading;
    if (!runtime.has_run()) reading.emplace();
    return spec::prepare_spec(file, options, written);
  }();
  spec::RunObserver observer{.trace = timeline, .before_each = stop_if_interrupted};
  if (timeline != nullptr)
    observer.found = [timeline](const Explanation& explanation) { timeline->add(explanation); };
  return spec::run_prepared(std::move(prepared), options, runtime, observer);
}

int run_here(const Context& context) {
  end_with_parent();
  const spec::SpecRunOptions options = run_options_of(context);
  const auto written = files_written_by(context);
  const bool records = context.has("trace") || context.has("gantt");
  const auto runtime = make_runtime(context);
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
      const spec::SpecResult result =
          run_file(file, options, written, *runtime, records ? &timeline : nullptr);
      const KernelText text = printed.take();
      progress.hide();
      print_run(context, result, text);
      if (!result.difference.empty()) note(worst, 1);
    } catch (const spec::SourceWouldBeLost&) {
      throw;  // it may be the timeline, which is written though a specification fails
    } catch (const Error& error) {
      if (runtime->has_no_devices()) throw;  // said once, not for every spec
      const KernelText text = printed.take();
      progress.hide();
      auto failure = failure_of(error, *runtime, left);
      print_failure(context, file, failure.error, text);
      note(worst, exit_code(error.code()));
      end = std::move(failure.end);
    }
    progress.advance();
  }
  write_timeline(context, timeline);
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
    throw bad_input(
        "--isolate: a run in a process of its own has no standard input and output of this one, "
        "expected files");
}

int run_specs(Context& context) {
  if (context.has("out") && context.arguments().size() > 1)
    throw bad_input("--out: found {} specs, expected one: each would write the same file",
                    context.arguments().size());
  // A kernel that hangs can only be ended with its process; silence would promise a bound.
  if (!context.flag("isolate") && context.number("timeout") > 0 && context.is_typed("timeout"))
    throw bad_input("--timeout requires --isolate: a kernel can only be stopped with its process");
  if (!context.flag("isolate")) return run_here(context);
  check_streams_of_isolated(context);
  return run_isolated(context);
}

}  // namespace

const Command run_command{
    .name = "run",
    .summary = "run the kernels of specification files on the devices of this machine",
    .description =
        "Reads each specification file, gets its program from the store or compiles it, fills the "
        "arguments, runs the kernel on one device or split over several, and reads the results "
        "back.\n\n"
        "A split run gives the same result as a run on one device. Where that cannot be shown, the "
        "kernel runs on one device, and the reason is printed.",
    .options =
        {{options::set, options::set_if,
          Option::text(
              "partition", "P",
              "How the work is split over the devices: 0 to 10 (tenths for the first device), "
              "weights W1:W2:… with one for each device, auto (measured and remembered) or dynamic "
              "(in shrinking chunks). Default: the class that the spec names."),
          options::devices,
          Option::file_assignment("in", "P=FILE", "Reads the data of argument P from a .npy file.")
              .repeatable(),
          Option::file_assignment("out", "P=FILE",
                                  "Writes argument P to a .npy file after the run.", Access::write)
              .repeatable(),
          Option::file_assignment(
              "expect", "P=FILE",
              "Compares argument P with a .npy file after the run; a difference gives exit code 1.")
              .repeatable(),
          options::rtol,
          Option::flag(
              "check-bounds",
              "Looks for accesses outside of buffers: with oclgrind where that is installed (every "
              "access, and slow), and by zones around each buffer, which show what is written just "
              "before or behind it. One that is found gives exit code 1."),
          Option::integer("seed", "N", "Start of the random numbers that fill inputs without --in.",
                          "0"),
          options::trace, options::gantt,
          Option::flag("explain",
                       "Says for each program which layer answered, why the earlier ones did not, "
                       "and what each step cost."),
          options::json,
          Option::flag("isolate",
                       "Runs each spec in a process of its own, so that a kernel which crashes or "
                       "hangs fails alone."),
          Option::number("timeout", "SECONDS",
                         "The time that each spec may take; 0 is no bound. Requires --isolate.",
                         "0"),
          options::source_dir, options::dialect,
          Option::text("local-size", "N[xN[xN]]",
                       "The local size, as 64 or 16x16, in place of the spec's.")},
         options::stores,
         {Option::integer("runs", "N", "How often each spec runs.", "1").at_least(1),
          Option::flag("quiet", "Prints errors only.").with_letter('q')}},
    .positional = spec_files,
    .examples =
        {{"kiln run vector_add.json --set dataset=1048576", "Runs a kernel with random data."},
         {"kiln run vector_add.json --in 0=a.npy --in 1=b.npy --out 2=c.npy",
          "Runs it with data from files."},
         {"kiln run vector_add.json --devices cpu/2 --partition 5 --trace out.json",
          "Splits the work evenly over two halves of the processor and records the timeline."},
         {"kiln run vector_add.json --check-bounds", "Does the kernel stay within its buffers?"},
         {"kiln run --isolate --timeout 25 --json specs/*.json",
          "Runs many specs, each in a process of its own."}},
    .body = run_specs,
};

}  // namespace kiln::cli
