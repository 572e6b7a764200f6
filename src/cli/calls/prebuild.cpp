// `kiln prebuild`: compiles what the calls of a record need.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/mesh/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"
#include "store/pack.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option prebuild_options[] = {
    {.name = "from",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "The record of calls, as kiln record writes it."},
    {.name = "pack",
     .kind = Kind::file,
     .access = Access::write,
     .value_name = "PACK",
     .help = "Also writes the programs, and what was tuned, to a pack, which kiln store import "
             "takes into the store of another machine with the same devices and drivers."},
    {.name = "dry-run", .help = "Only shows what the record holds; no device is touched."},
    options::json,
    options::store,
    options::system_store,
    options::shared_store,
    options::shared_timeout,
    options::store_size,
    options::compile,
};
constexpr Example prebuild_examples[] = {
    {"kiln prebuild --from calls.jsonl", "The program's next start compiles nothing."},
    {"kiln prebuild --from calls.jsonl --pack solver.kiln", "Nor does it on other machines."},
    {"kiln prebuild --from calls.jsonl --dry-run", "Where does the program spend its time?"},
};

/// What came of one call.
struct Built {
  std::size_t programs = 0, compiled = 0;
  std::string failure;
  int exit_code = 0;
};

struct Result {
  std::vector<Built> calls;
  std::set<std::string> keys;  ///< of the programs
  std::size_t compiled = 0;
  int worst = 0;
};

std::string fact_text(const Fact& fact) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, fact.value);
}

/// "column m=64": what distinguishes the call from others of its name. The words of the name are
/// left out, and of a loop all facts but its number of elements.
std::string facts_text(const RecordedCall& call) {
  std::string text;
  for (const auto& fact : call.facts) {
    if (call.kind == "loop" && fact.name != "elements") continue;
    if (call.kind == "blas" &&
        (fact.name == "routine" || fact.name == "precision" || fact.name.starts_with("stride_")))
      continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", fact.name, fact_text(fact));
  }
  return text;
}

std::string devices_text(const RecordedCall& call) {
  std::string text;
  for (const auto& device : call.devices)
    if (text.find(device.name) == text.npos) text += (text.empty() ? "" : ", ") + device.name;
  return text;
}

Built build_one(const RecordedCall& call, Resolver& resolver, blas::Library& library,
                Result& result) {
  Built built;
  try {
    for (const auto& explanation : build_call(call, resolver, library)) {
      ++built.programs;
      result.keys.insert(explanation.key);
      if (was_compiled(explanation)) ++built.compiled;
    }
  } catch (const Error& error) {
    built.failure = error.message();
    built.exit_code = exit_code(error.code());
  }
  return built;
}

Result build_all(const Context& context, const RecordedCalls& recorded) {
  Result result;
  const auto resolver = make_resolver(context);
  if (resolver->store() == nullptr)
    throw Error(
        Errc::bad_input,
        "--store: found 'off', expected a folder: prebuild keeps its programs in the store");
  blas::Library library(*resolver);
  add_loop_generators(*resolver);
  Progress progress("prebuild", recorded.calls.size());
  for (const auto& call : recorded.calls) {
    stop_if_interrupted();
    progress.note(one_line(call.name));
    Built built = build_one(call, *resolver, library, result);
    result.compiled += built.compiled;
    result.worst = std::max(result.worst, built.exit_code);
    if (!built.failure.empty()) {
      progress.hide();
      complain(fmt::format("{} {}: {}", one_line(call.name), one_line(facts_text(call)),
                           visible_text(built.failure)));
    }
    result.calls.push_back(std::move(built));
    progress.advance();
  }
  resolver->finish();
  return result;
}

/// Replaces this process by kiln-mesh where the record has loops, which kiln cannot build. Returns
/// where kiln-mesh is absent or could not read the record again (from a pipe): the other calls are
/// built all the same.
void become_mesh_program(Context& context, const RecordedCalls& recorded) {
  const auto& calls = recorded.calls;
  std::error_code error;
  if (builds_loops() || std::none_of(calls.begin(), calls.end(), is_loop) ||
      !std::filesystem::is_regular_file(context.text("from"), error))
    return;
  try {
    run_mesh_program(context);
  } catch (const Error&) {
    // Each loop says that it cannot be built.
  }
}

/// Writes the pack; how many of the programs are not in it.
std::size_t write_pack(const Context& context, const std::set<std::string>& keys) {
  const auto store = open_local(context);
  std::size_t programs = 0;
  const auto wanted = [&](const EntryInfo& entry) {
    if (entry.kind != EntryKind::artifact) return entry.kind == EntryKind::record;
    const bool is_asked = keys.contains(entry.key.digest.hex());
    programs += is_asked ? 1 : 0;
    return is_asked;
  };
  const auto exported = value_or_throw(export_pack(*store, wanted));
  for (const auto& entry : exported.left_out)
    complain(fmt::format("left out: {} {}: {}", name_of(entry.kind), entry.key.digest.brief(),
                         one_line(entry.reason)));
  value_or_throw(write_file(context.text("pack"), exported.pack));
  complain(fmt::format("note: {}: {} programs, {}", one_line(context.text("pack")), programs,
                       byte_count_text(exported.pack.size())));
  const std::size_t missing = keys.size() - std::min(programs, keys.size());
  if (missing > 0)
    complain(fmt::format("{} programs are not in the local store, nor in the pack", missing));
  return missing + exported.left_out.size();
}

Json json_of(const RecordedCall& call, const Built* built) {
  Json facts = Json::object();
  for (const auto& fact : call.facts)
    facts[fact.name] = std::visit([](const auto& value) { return Json(value); }, fact.value);
  Json object{{"kind", call.kind},         {"name", call.name},
              {"facts", std::move(facts)}, {"device", devices_text(call)},
              {"calls", call.count},       {"share", call.share},
              {"timed", call.timed > 0},   {"ms", call.estimated_ns / 1e6}};
  if (built == nullptr) return object;
  object.update({{"programs", built->programs},
                 {"compiled", built->compiled},
                 {"status", built->failure.empty() ? "ok" : "failed"},
                 {"message", built->failure}});
  return object;
}

void print_call_table(const RecordedCalls& recorded, const Result* result) {
  std::vector<std::string> heading{"call", "of", "device", "calls", "time", "from", "share"};
  if (result != nullptr) heading.insert(heading.end(), {"programs", "compiled"});
  Table table(heading);
  for (std::size_t i = 0; i < recorded.calls.size(); ++i) {
    const RecordedCall& call = recorded.calls[i];
    // Where nothing was timed the estimates have no unit: they are good for comparing only.
    std::vector<std::string> row{call.name,
                                 facts_text(call),
                                 devices_text(call),
                                 std::to_string(call.count),
                                 call.timed > 0 ? duration(call.estimated_ns) : "",
                                 call.timed > 0 ? "device" : "work",
                                 fmt::format("{:.1f} %", call.share * 100)};
    if (result != nullptr) {
      const Built& built = result->calls[i];
      row.push_back(built.failure.empty() ? std::to_string(built.programs) : "failed");
      row.push_back(std::to_string(built.compiled));
    }
    table.row(std::move(row));
  }
  print(table.text());
}

void print_calls(const Context& context, const RecordedCalls& recorded, const Result* result) {
  if (!context.flag("json")) return print_call_table(recorded, result);
  for (std::size_t i = 0; i < recorded.calls.size(); ++i)
    print_json(json_of(recorded.calls[i], result == nullptr ? nullptr : &result->calls[i]));
}

/// The pack must not take the place of a specification or a source that the record names.
void check_pack_name(const Context& context, const RecordedCalls& recorded) {
  std::error_code error;
  const std::string& pack = context.text("pack");
  for (const auto& call : recorded.calls)
    for (const auto& fact : call.facts)
      if (const auto* file = std::get_if<std::string>(&fact.value);
          file != nullptr && std::filesystem::equivalent(*file, pack, error))
        throw Error(Errc::bad_input, fmt::format("--pack: {} is a file that the record's calls "
                                                 "are made from, expected another file",
                                                 one_line(pack)));
}

}  // namespace

constinit const Command prebuild_command{
    .name = "prebuild",
    .summary = "compile all that the calls of a record need",
    .description =
        "Reads the calls that kiln record wrote down and puts every program that they need into "
        "the store, compiled for the devices that they ran on, so that the application's next "
        "start compiles nothing. Nothing is run. The calls are shown with the part of the "
        "application's time on the device that each takes, the largest first: by the times that "
        "were taken there, else estimated from the work that a call is.\n\n"
        "A call that cannot be built (its device is not here, its file has gone) is named on "
        "standard error, and the others are done all the same.",
    .options = prebuild_options,
    .examples = prebuild_examples,
};

int prebuild(Context& context) {
  if (!context.has("from"))
    throw Error(Errc::bad_input,
                "prebuild: missing --from FILE, the record of calls that kiln record wrote");
  const auto recorded = [&] {
    const EndsAtOnce reading;
    return value_or_throw(read_calls(context.text("from")));
  }();
  if (recorded.lines_cut > 0)
    complain(fmt::format("note: {}: {} lines were cut short, and are left out",
                         one_line(context.text("from")), recorded.lines_cut));
  if (context.flag("dry-run")) {
    print_calls(context, recorded, nullptr);
    return 0;
  }
  if (context.has("pack")) check_pack_name(context, recorded);
  become_mesh_program(context, recorded);
  Result result = build_all(context, recorded);
  print_calls(context, recorded, &result);
  if (!context.flag("json"))
    complain(
        fmt::format("note: {} programs, {} compiled now", result.keys.size(), result.compiled));
  if (context.has("pack") && !result.keys.empty() && write_pack(context, result.keys) > 0)
    result.worst = std::max(result.worst, 1);
  return result.worst;
}

}  // namespace kiln::cli
