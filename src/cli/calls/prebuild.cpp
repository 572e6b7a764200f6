// `kiln prebuild`: compiles what the calls of a record need, or what an application has built.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"
#include "store/pack.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

const Options prebuild_options = {
    {.name = "from",
     .kind = Kind::file,
     .value_name = "FILE",
     .help = "The record of calls, as kiln record writes it."},
    {.name = "used-by",
     .kind = Kind::text,
     .value_name = "NAME",
     .help = "In place of --from: a program that was started by kiln exec, by the name of its file "
             "or script; what it builds is on record in the store."},
    {.name = "devices",
     .kind = Kind::text,
     .value_name = "LIST",
     .help = "With --used-by: the devices to compile for, as for kiln run; they may be other ones "
             "than the program ran on.",
     .fallback = "all"},
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
const std::initializer_list<Example> prebuild_examples = {
    {"kiln prebuild --from calls.jsonl", "The program's next start compiles nothing."},
    {"kiln prebuild --from calls.jsonl --pack solver.kiln", "Nor does it on other machines."},
    {"kiln prebuild --from calls.jsonl --dry-run", "Where does the program spend its time?"},
    {"kiln prebuild --used-by darktable-cli",
     "After a driver's update: the next start under kiln exec compiles nothing."},
};

PrebuildResult build_all(const Context& context, const RecordedCalls& recorded) {
  Runtime::State runtime(make_resolver(context), "all");
  Progress progress("prebuild", recorded.calls.size());
  PrebuildOptions options;
  bool is_first = true;
  options.begin = [&](const PrebuiltCall& call, std::size_t) {
    stop_if_interrupted();
    if (!std::exchange(is_first, false)) progress.advance();
    progress.note(one_line(call.name));
  };
  PrebuildResult result = kiln::prebuild(runtime, recorded, loop_builder(), options);
  progress.hide();
  for (const auto& call : result.calls)
    if (call.failure)
      complain(fmt::format("{} {}: {}", one_line(call.name), one_line(call.subject),
                           visible_text(call.failure->message())));
  return result;
}

int exit_code_of(const PrebuildResult& result) {
  int worst = 0;
  for (const auto& call : result.calls)
    if (call.failure) worst = std::max(worst, exit_code(call.failure->code()));
  return worst;
}

/// Replaces this process by kiln-mesh where the record has loops, which kiln cannot build. Returns
/// where kiln-mesh is absent or could not read the record again (from a pipe): the other calls are
/// built all the same.
void become_mesh_program(Context& context, const RecordedCalls& recorded) {
  const auto& calls = recorded.calls;
  std::error_code error;
  if (loop_builder().build != nullptr || std::none_of(calls.begin(), calls.end(), is_loop) ||
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

Json json_of(const RecordedCall& call, const PrebuiltCall* built) {
  Json facts = Json::object();
  for (const auto& fact : call.facts)
    facts[fact.name] = std::visit([](const auto& value) { return Json(value); }, fact.value);
  Json object{{"kind", call.kind},         {"name", call.name},
              {"facts", std::move(facts)}, {"device", device_names_of(call)},
              {"calls", call.count},       {"share", call.share},
              {"timed", call.timed > 0},   {"ms", call.estimated_ns / 1e6}};
  if (built == nullptr) return object;
  object.update({{"programs", built->programs},
                 {"compiled", built->compiled},
                 {"status", built->failure ? "failed" : "ok"},
                 {"message", built->failure ? built->failure->message() : ""}});
  return object;
}

void print_call_table(const RecordedCalls& recorded, const PrebuildResult* result) {
  std::vector<std::string> heading{"call", "of", "device", "calls", "time", "from", "share"};
  if (result != nullptr) heading.insert(heading.end(), {"programs", "compiled"});
  Table table(heading);
  for (std::size_t i = 0; i < recorded.calls.size(); ++i) {
    const RecordedCall& call = recorded.calls[i];
    // Where nothing was timed the estimates have no unit: they are good for comparing only.
    std::vector<std::string> row{call.name,
                                 subject_of(call),
                                 device_names_of(call),
                                 std::to_string(call.count),
                                 call.timed > 0 ? duration(call.estimated_ns) : "",
                                 call.timed > 0 ? "device" : "work",
                                 fmt::format("{:.1f} %", call.share * 100)};
    if (result != nullptr) {
      const PrebuiltCall& built = result->calls[i];
      row.push_back(built.failure ? "failed" : std::to_string(built.programs));
      row.push_back(std::to_string(built.compiled));
    }
    table.row(std::move(row));
  }
  print(table.text());
}

void print_calls(const Context& context, const RecordedCalls& recorded,
                 const PrebuildResult* result) {
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

const Command prebuild_command{
    .name = "prebuild",
    .summary = "compile all that an application needs, before it starts",
    .description =
        "Reads the calls that kiln record wrote down and puts every program that they need into "
        "the store, compiled for the devices that they ran on, so that the application's next "
        "start compiles nothing. Nothing is run. The calls are shown with the part of the "
        "application's time on the device that each takes, the largest first: by the times that "
        "were taken there, else estimated from the work that a call is.\n\n"
        "A call that cannot be built (its device is not here, its file has gone) is named on "
        "standard error, and the others are done all the same.\n\n"
        "With --used-by it compiles what a program has built that was started by kiln exec, by "
        "what "
        "the store has on record of it, for the devices of this machine: after a driver's update, "
        "or on a machine that has the record from a pack (kiln store export --used-by) and other "
        "devices. Variables that change what the driver compiles (POCL_*) should be the program's.",
    .options = {prebuild_options},
    .examples = prebuild_examples,
    .body = prebuild,
};

int prebuild(Context& context) {
  if (context.has("from") == context.has("used-by"))
    throw Error(Errc::bad_input,
                context.has("from")
                    ? "prebuild: --from and --used-by: expected one of them"
                    : "prebuild: missing --from FILE, the record of calls that kiln record wrote, "
                      "or --used-by NAME");
  if (context.has("used-by")) return prebuild_application(context);
  if (context.is_typed("devices"))
    throw Error(Errc::bad_input,
                "prebuild: --devices: with --from the devices are those of the record");
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
  const PrebuildResult result = build_all(context, recorded);
  print_calls(context, recorded, &result);
  if (!context.flag("json"))
    complain(
        fmt::format("note: {} programs, {} compiled now", result.keys.size(), result.compiled));
  const int worst = exit_code_of(result);
  if (context.has("pack") && !result.keys.empty() && write_pack(context, result.keys) > 0)
    return std::max(worst, 1);
  return worst;
}

}  // namespace kiln::cli
