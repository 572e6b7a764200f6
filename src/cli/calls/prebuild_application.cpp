// `kiln prebuild --used-by`: compiles what an application has built that knows nothing of Kiln.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/calls/recorded_calls.hpp"
#include "cli/command/context.hpp"
#include "cli/command/files.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"
#include "kernel/request/stored_record.hpp"
#include "kiln/store.hpp"

namespace kiln::cli {
namespace {

/// --dry-run: what is on record.
int show_programs(const Context& context, const std::string& application) {
  const auto programs = programs_used_by(store_of(context), application);
  if (context.flag("json")) {
    for (const auto& program : programs)
      print_json({{"application", application},
                  {"kernel", program.kernel},
                  {"options", program.options},
                  {"device", program.fingerprint},
                  {"variants", program.variants},
                  {"key", program.key}});
    return 0;
  }
  Table table({"kernel", "options", "device", "variants", "key"});
  for (const auto& program : programs)
    table.row(one_line(program.kernel), one_line(program.options), model_of(program.fingerprint),
              program.variants, program.key.substr(0, 16));
  print(table.text());
  return 0;
}

PrebuildResult build_programs(const Context& context, const std::string& application) {
  Runtime::State runtime(make_resolver(context), context.text("devices"));
  std::optional<Progress> progress;
  PrebuildOptions options;
  options.begin = [&](const PrebuiltCall& program, std::size_t count) {
    stop_if_interrupted();
    if (progress)
      progress->advance();
    else
      progress.emplace("prebuild", count);
    progress->note(one_line(program.name));
  };
  PrebuildResult result = kiln::prebuild_used_by(runtime, application, options);
  if (progress) progress->hide();
  return result;
}

void print_programs(const Context& context, const std::string& application,
                    const PrebuildResult& result) {
  if (context.flag("json")) {
    for (const auto& program : result.calls)
      print_json({{"application", application},
                  {"kernel", program.name},
                  {"options", program.subject},
                  {"device", program.device},
                  {"compiled", program.compiled},
                  {"status", program.failure ? "failed" : "ok"},
                  {"message", program.failure ? program.failure->message() : ""}});
    return;
  }
  Table table({"kernel", "options", "device", "compiled"});
  for (const auto& program : result.calls)
    table.row(one_line(program.name), one_line(program.subject), program.device,
              program.failure ? "failed" : std::to_string(program.compiled));
  print(table.text());
}

/// Of the largest exit code.
int tell_failures(const PrebuildResult& result) {
  int worst = 0;
  for (const auto& program : result.calls) {
    if (!program.failure) continue;
    complain("{} on {}: {}", one_line(program.name), one_line(program.device),
             visible_text(program.failure->message()));
    worst = std::max(worst, exit_code(program.failure->code()));
  }
  return worst;
}

/// All that the application needs. How many entries are not in it.
std::size_t write_pack(const Context& context, const std::string& application) {
  const Store store = store_of(context);
  EntryFilter filter;
  filter.keys = keys_used_by(store, application);
  const auto exported = store.export_pack(filter);
  for (const auto& entry : exported.left_out)
    complain("left out: {} {}: {}", name_of(entry.kind), entry.key.digest.brief(),
             one_line(entry.reason));
  value_or_throw(write_file(context.text("pack"), exported.pack));
  complain("note: {}: {}, {}", one_line(context.text("pack")), entries_text(exported.entries),
           byte_count_text(exported.pack.size()));
  return exported.left_out.size();
}

}  // namespace

int prebuild_application(Context& context) {
  const std::string& application = context.text("used-by");
  if (context.flag("dry-run")) return show_programs(context, application);
  const PrebuildResult result = build_programs(context, application);
  print_programs(context, application, result);
  const int worst = tell_failures(result);
  if (!context.flag("json"))
    complain("note: {}, {} compiled now", plural(result.keys.size(), "program"), result.compiled);
  if (context.has("pack") && !result.keys.empty() && write_pack(context, application) > 0)
    return std::max(worst, 1);
  return worst;
}

}  // namespace kiln::cli
