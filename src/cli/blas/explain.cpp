// `kiln blas explain`: the kernels that a call comes to.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "blas/api/library.hpp"
#include "cli/blas/call_options.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option blas_explain_options[] = {
    options::size_m,
    options::size_n,
    options::size_k,
    options::precision,
    options::order,
    options::side,
    options::uplo,
    options::trans_a,
    options::trans_b,
    options::diag,
    options::device,
    {.name = "queues",
     .kind = Kind::integer,
     .value_name = "COUNT",
     .help = "How many command queues share the work; several devices get theirs in turn. Default: "
             "one for each device.",
     .least = 1},
    options::json,
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
};

constexpr Example blas_explain_examples[] = {
    {"kiln blas explain dgemm -m 2048 -n 512 -k 64",
     "Which kernels is this product, with which tiles?"},
    {"kiln blas explain trsm -n 4096 --side right --queues 2", "How do two queues share it?"},
};

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
    throw Error(Errc::bad_input,
                fmt::format("--queues: found {}, expected at most {}", count, most_queues));
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
    throw Error(Errc::bad_input, fmt::format("{}: {}", text_of(call), error.what()));
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
          {"after", step.after},
          {"parameters", parameters},
          {"parameters_from", step.parameters_from},
          {"parameters_record", step.parameters_record},
          {"key", step.key},
          {"found_in", step.found_in},
          {"ms", static_cast<double>(step.find_ns) / 1e6}};
}

void print_steps(const blas::Call& call, const blas::Sequence& sequence, std::size_t queues) {
  print(fmt::format("{}: {} step{} on {} queue{}, {} bytes of device memory of its own\n",
                    text_of(call), sequence.steps.size(), sequence.steps.size() == 1 ? "" : "s",
                    queues, queues == 1 ? "" : "s", sequence.workspace_bytes));
  Table table({"step", "queue", "kernel", "global", "local", "share", "after", "parameters", "from",
               "program", "found in", "time"});
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& step = sequence.steps[i];
    table.row({std::to_string(i), std::to_string(step.queue), step.kernel,
               fmt::format("{}", fmt::join(step.global, "x")),
               fmt::format("{}", fmt::join(step.local, "x")),
               fmt::format("{:.0f} %", step.share * 100),
               fmt::format("{}", fmt::join(step.after, " ")), parameters_of(step),
               step.parameters_from + (step.parameters_record.empty() ? "" : ": ") +
                   step.parameters_record,
               fmt::format("{} {}", step.family, step.key.substr(0, 12)), step.found_in,
               duration(static_cast<double>(step.find_ns))});
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

}  // namespace

constinit const Command blas_explain_command{
    .name = "blas explain",
    .summary = "show the kernels that a call of BLAS comes to",
    .description =
        "Prints the solution sequence of a call: its kernels in order, the queue of each and that "
        "queue's share of the work (of the result's elements in level 3, of the matrix's in level "
        "2), the geometry, the parameters (tiles) and "
        "whether they are the built-in default or measured and on record, and where each program "
        "came from: memory, a store, or compiled now. The call is not run.",
    .options = blas_explain_options,
    .positional = routine_word,
    .examples = blas_explain_examples,
};

int blas_explain(Context& context) {
  const blas::Call call = call_of(context);
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

}  // namespace kiln::cli
