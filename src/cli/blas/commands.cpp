// `kiln blas explain`: the kernels that a call comes to; `kiln blas bench`: the call against those
// of other libraries.
#include "cli/command/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/data/text.hpp"
#include "blas/api/library.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "rival/contest.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

// Only the first few queues of a call get work; more than this must be a typing error.
constexpr std::int64_t most_queues = 64;

/// Queues of one context, over all devices.
struct Queues {
  ContextPtr context;
  std::vector<Queue> own;
  std::vector<cl_command_queue> handles;
};
Queues queues_of(const Context& context) {
  const auto devices = devices_of(context);
  const std::int64_t count =
      context.has("queues") ? context.integer("queues") : static_cast<std::int64_t>(devices.size());
  if (count > most_queues)
    throw bad_input("--queues: found {}, expected at most {}", count, most_queues);
  Queues queues{kiln::Context::create(devices), {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    queues.own.emplace_back(queues.context, devices[i % devices.size()]);
    queues.handles.push_back(queues.own.back().cl()());
  }
  return queues;
}

/// The sequence of a call. Sizes that the device has no memory for are reported as bad input.
blas::Sequence explained(blas::Library& library, const blas::Call& call,
                         const std::vector<cl_command_queue>& queues) {
  try {
    return explain(library, call, queues);
  } catch (const ClError& error) {
    if (error.status() != CL_INVALID_BUFFER_SIZE &&
        error.status() != CL_MEM_OBJECT_ALLOCATION_FAILURE)
      throw;
    throw bad_input("{}: {}", text_of(call), error.what());
  }
}

std::string parameters_of(const blas::SequenceStep& step) {
  std::string text;
  for (const auto& [name, value] : step.parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Json json_of(const blas::SequenceStep& step) {
  Json parameters = Json::object();
  for (const auto& [name, value] : step.parameters) parameters[name] = value;
  return {{"kernel", step.kernel},
          {"family", step.family},
          {"queue", step.queue},
          {"device", step.device},
          {"global", step.global},
          {"local", step.local},
          {"share", step.share},
          {"times", step.times},
          {"after", step.after},
          {"parameters", parameters},
          {"parameters_from", step.parameters_from},
          {"parameters_record", step.parameters_record},
          {"key", step.key},
          {"found_in", step.found_in},
          {"ms", static_cast<double>(step.find_ns) / 1e6}};
}

void print_steps(const blas::Call& call, const blas::Sequence& sequence, std::size_t queues) {
  print("{}: {} on {}, {} bytes of device memory of its own\n", text_of(call),
        plural(sequence.steps.size(), "step"), plural(queues, "queue"), sequence.workspace_bytes);
  Table table({"step", "queue", "kernel", "global", "local", "share", "after", "parameters", "from",
               "program", "found in", "time"});
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& step = sequence.steps[i];
    const std::string kernel =
        step.times == 1 ? step.kernel : fmt::format("{} ({} times)", step.kernel, step.times);
    table.row(i, step.queue, kernel, fmt::join(step.global, "x"), fmt::join(step.local, "x"),
              fmt::format("{:.0f} %", step.share * 100), fmt::join(step.after, " "),
              parameters_of(step),
              step.parameters_from + (step.parameters_record.empty() ? "" : ": ") +
                  step.parameters_record,
              fmt::format("{} {}", step.family, step.key.substr(0, 12)), step.found_in,
              duration(static_cast<double>(step.find_ns)));
  }
  if (!sequence.steps.empty()) print(table.text());
  std::vector<std::string> said;
  for (const auto& step : sequence.steps) {
    auto line = fmt::format("queue {}: {}\n", step.queue, step.device);
    if (std::find(said.begin(), said.end(), line) == said.end()) said.push_back(std::move(line));
  }
  std::sort(said.begin(), said.end());
  for (const auto& line : said) print_text(line);
}

/// So many calls like one in a batch, their operands one behind another.
blas::Call batch_of(blas::Call call, std::int64_t count) {
  if (count == 1) return call;
  call.batch = static_cast<std::size_t>(count);
  for (auto& operand : call.operands) operand.batch_stride = 1;  // which makes them move
  return rival::contiguous(call);
}

int blas_explain(Context& context) {
  const blas::Call call = batch_of(call_of(context), context.integer("batch"));
  const auto resolver = make_resolver(context);
  const Queues queues = queues_of(context);
  blas::Library library(*resolver);
  const blas::Sequence sequence = explained(library, call, queues.handles);
  if (context.flag("json")) {
    Json object{{"call", text_of(call)},
                {"routine", blas::name_of(call.routine)},
                {"precision", std::string(1, letter(call.precision))},
                {"queues", queues.handles.size()},
                {"workspace_bytes", sequence.workspace_bytes},
                {"steps", Json::array()}};
    for (const auto& step : sequence.steps) object["steps"].push_back(json_of(step));
    print_json(object);
  } else {
    print_steps(call, sequence, queues.handles.size());
  }
  return 0;
}

using rival::Contender;

/// What a call does, and in what it is counted.
struct Work {
  double amount;  ///< in 10^6 of the unit's
  const char* unit;
};
Work work_of(const blas::Call& call) {
  if (rival::is_compute_bound(call.routine)) return {rival::operations_of(call) * 1e-6, "GFLOP/s"};
  return {rival::traffic_of(call) * 1e-6, "GB/s"};
}

/// How much faster Kiln is, round by round; 0 where nothing was measured.
double ratio_to(const Contender& kiln, const Contender& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(kiln.samples.size(), other.samples.size()); ++i)
    ratios.push_back(other.samples[i] / kiln.samples[i]);
  return ratios.empty() ? 0 : median(ratios);
}

std::string milliseconds_text_of(double ms) { return duration(ms * 1e6); }

void print_contenders(const blas::Call& call, const std::string& device,
                      const std::vector<Contender>& all) {
  const Work work = work_of(call);
  print_text("{} on {}\n", text_of(call), device);
  Table table({"library", "median", "first quartile", "third quartile", work.unit, "Kiln is"});
  std::string absent;
  for (const auto& side : all) {
    if (!side.absent.empty()) {
      absent += fmt::format("{}: not measured: {}\n", side.name, side.absent);
      continue;
    }
    const double middle = median(side.samples);
    table.row(side.name, milliseconds_text_of(middle),
              milliseconds_text_of(quantile(side.samples, 0.25)),
              milliseconds_text_of(quantile(side.samples, 0.75)),
              fmt::format("{:.2f}", work.amount / middle),
              &side == &all.front() ? "" : fmt::format("{:.2f} x", ratio_to(all.front(), side)));
  }
  print(table.text());
  print(absent);
}

Json json_of(const blas::Call& call, const std::string& device, const std::vector<Contender>& all) {
  const Work work = work_of(call);
  Json object{{"call", text_of(call)},
              {"routine", blas::name_of(call.routine)},
              {"precision", std::string(1, letter(call.precision))},
              {"m", call.m},
              {"n", call.n},
              {"k", call.k},
              {"device", device},
              {"unit", work.unit},
              {"libraries", Json::array()}};
  for (const auto& side : all) {
    Json entry{{"name", side.name}, {"measured", side.absent.empty()}};
    if (side.absent.empty()) {
      const double middle = median(side.samples);
      entry.update({{"rounds", side.samples.size()},
                    {"median_ms", middle},
                    {"quartiles_ms", {quantile(side.samples, 0.25), quantile(side.samples, 0.75)}},
                    {"rate", work.amount / middle},
                    {"kiln_is_faster_by", ratio_to(all.front(), side)}});
    } else {
      entry["reason"] = side.absent;
    }
    object["libraries"].push_back(std::move(entry));
  }
  return object;
}

/// 0: as many as are worth it.
int rounds_of(const Context& context) {
  constexpr std::int64_t most_rounds = 10000;
  const std::int64_t rounds = context.has("rounds") ? context.integer("rounds") : 0;
  if (rounds < 0 || rounds > most_rounds)
    throw bad_input("--rounds: found {}, expected at most {}", rounds, most_rounds);
  return static_cast<int>(rounds);
}

int blas_bench(Context& context) {
  const int rounds = rounds_of(context);
  const blas::Call call = call_of(context);
  rival::Machine machine{
      Runtime(std::make_shared<Runtime::State>(make_resolver(context), context.text("device")))};
  rival::Problem problem(machine, call);
  std::vector<Contender> all;
  {
    Progress progress("measure", 2);
    progress.note("first calls");
    all = rival::contenders_of(problem, interrupted);
    progress.advance(1, "taking turns");
    rival::measure(all, rounds, interrupted);
  }
  stop_if_interrupted();
  if (context.flag("json"))
    print_json(json_of(problem.call(), machine.device().name, all));
  else
    print_contenders(problem.call(), machine.device().name, all);
  return 0;
}

}  // namespace

const Command blas_explain_command{
    .name = "blas explain",
    .summary = "show the kernels that a call of BLAS comes to",
    .description =
        "Prints the solution sequence of a call: its kernels in order, the queue of each and that "
        "queue's share of the work (of the result's elements in level 3, of the matrix's in level "
        "2), the geometry, the parameters (tiles) and whether they are the built-in default or "
        "measured and on record, and where each program came from: memory, a store, or compiled "
        "now. The call is not run.",
    .options = {options::blas_call,
                {Option::integer("queues", "COUNT",
                                 "How many command queues share the work; several devices get "
                                 "theirs in turn. Default: one for each device.")
                     .at_least(1),
                 Option::integer("batch", "COUNT",
                                 "How many such calls are one batch, their operands one behind "
                                 "another.",
                                 "1")
                     .at_least(1),
                 options::json},
                options::stores},
    .positional = routine_word,
    .examples = {{"kiln blas explain dgemm -m 2048 -n 512 -k 64",
                  "Which kernels is this product, with which tiles?"},
                 {"kiln blas explain trsm -n 4096 --side right --queues 2",
                  "How do two queues share it?"},
                 {"kiln blas explain dgemm -n 23 --batch 100000",
                  "Are many small products one launch?"}},
    .body = blas_explain,
};

const Command blas_bench_command{
    .name = "blas bench",
    .summary = "measure a call of BLAS against OpenBLAS and CLBlast",
    .description =
        "Measures one call with random numbers: Kiln, OpenBLAS (where the device works in the "
        "host's memory) and CLBlast, each loaded where it is installed. They take turns, each "
        "starts with its threads awake, and medians with quartiles are printed, with the work done "
        "a second: floating-point operations of products, bytes of what memory bounds. Whole calls "
        "count, from before the call until its result is there; \"Kiln is\" is the median of the "
        "ratios of neighbours in time.",
    .options =
        {options::blas_call,
         {Option::integer(
              "rounds", "COUNT",
              "How often each library is measured. Default: what takes about two seconds, 3 to 30.")
              .at_least(1),
          options::json},
         options::stores},
    .positional = routine_word,
    .examples = {{"kiln blas bench gemm -m 1024 -n 1024 -k 1024",
                  "How fast is a product of floats here?"},
                 {"kiln blas bench dtrsm -n 2048 --device cpu --json",
                  "The same for a program to read."}},
    .body = blas_bench,
};

}  // namespace kiln::cli
