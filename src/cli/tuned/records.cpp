// What the local store has on record of tuning, parameters and whole searches: `kiln tuned ls` and
// `kiln tuned show`.
#include "cli/tuned/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"
#include "kernel/request/record_json.hpp"
#include "kernel/request/shipped_file.hpp"
#include "kernel/request/stored_record.hpp"
#include "kernel/resolver/shipped_records.hpp"
#include "tune/conduct/conduct.hpp"
#include "tune/report/run.hpp"

namespace kiln::cli {
namespace {

constexpr std::size_t least_letters = 4, most_configurations = 10;

bool is_id(const std::string& word) {
  return word.size() >= least_letters && word.find_first_not_of("0123456789abcdef") == word.npos;
}

/// The local store's tuning records. Throws Error.
std::vector<StoredRecord> all_records(const Context& context) {
  return value_or_throw(stored_records(*open_local(context)));
}

/// The search whose id begins with a word of at least four letters. Nothing where the word is no
/// beginning of an id. Throws Error where several ids begin with it.
std::optional<tune::KeptRun> kept_search(const Context& context, const std::string& word) {
  if (!is_id(word)) return std::nullopt;
  auto all = kept_searches(context);
  std::erase_if(all, [&](const auto& kept) { return !kept.id.starts_with(word); });
  if (all.size() > 1)
    throw bad_input("{} searches on record begin with {}; expected more letters", all.size(), word);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

}  // namespace

std::vector<StoredRecord> records_of(const Context& context) {
  auto records = all_records(context);
  const auto lacks = [&](const char* option, const std::string& text) {
    return context.has(option) && text.find(context.text(option)) == std::string::npos;
  };
  std::erase_if(records, [&](const StoredRecord& record) {
    return lacks("family", record.subject.family) || lacks("device", record.subject.device);
  });
  return records;
}

std::vector<tune::KeptRun> kept_searches(const Context& context) {
  auto all = value_or_throw(tune::all_kept_runs(*open_local(context)));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.run.device, a.run.identity, a.date) <
           std::tie(b.run.device, b.run.identity, b.date);
  });
  return all;
}

tune::TuningRun search_named(const Context& context, const std::string& word) {
  std::error_code ignored;
  if (!std::filesystem::exists(word, ignored))
    if (auto kept = kept_search(context, word)) return std::move(kept->run);
  const EndsAtOnce reading;
  return tune::read_journal(word);
}

namespace {

/// "columns 12, rows 32"; "-" where there are none.
std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text.empty() ? "-" : text;
}

/// "1.23 ms"; "-" where it is not known.
std::string milliseconds_text(double time) { return time > 0 ? duration(time * 1e6) : "-"; }

std::string best_text(const tune::TuningRun& run) {
  const auto best = run.best();
  return best ? duration(best->seconds * 1e9) : "-";
}

// `kiln tuned ls`: what is on record.

/// A row for each size that was measured: the parameters that are used for it.
void add_rows(Table& table, const StoredRecord& stored) {
  std::set<std::int64_t> sizes;
  for (const auto& one : stored.record.history) sizes.insert(one.size);
  for (const auto size : sizes) {
    const auto* best =
        stored.record.best(size, [&](const Measurement& one) { return one.size == size; });
    if (best == nullptr) continue;  // of others, without a time: never used
    table.row(stored.key.digest.brief(), stored.subject.family, stored.subject.problem_class,
              size > 0 ? std::to_string(size) : "-", parameters_text(best->parameters),
              milliseconds_text(best->milliseconds), milliseconds_text(best->standard_milliseconds),
              best->from.empty() ? "-" : best->from, date_text(stored.created),
              model_of(stored.subject.device));
  }
}

/// A line for each, for --searches.
void print_searches(const std::vector<tune::KeptRun>& searches) {
  Table table({"search", "problem class", "size", "strategy", "seed", "evaluations", "fastest",
               "written", "device"});
  for (const auto& kept : searches)
    table.row(kept.id, kept.problem.problem_class,
              kept.problem.size > 0 ? std::to_string(kept.problem.size) : "-", kept.run.strategy,
              kept.run.seed, kept.evaluated, best_text(kept.run), date_text(kept.date),
              model_of(kept.run.device));
  print(table.text());
}

int list_searches(const Context& context) {
  auto searches = kept_searches(context);
  std::erase_if(searches, [&](const tune::KeptRun& kept) {
    return (context.has("family") &&
            kept.problem.family.find(context.text("family")) == std::string::npos) ||
           (context.has("device") &&
            kept.run.device.find(context.text("device")) == std::string::npos);
  });
  if (!context.flag("json")) {
    print_searches(searches);
    return 0;
  }
  for (const auto& kept : searches) print(tune::kept_json_of(kept) + "\n");
  return 0;
}

// `kiln tuned ls --shipped`: what comes with Kiln.

void add_rows(Table& table, const ShippedFile& file, const ShippedRecord& record) {
  for (const auto& one : record.record.history)
    table.row(record.family, record.problem_class, std::to_string(one.size),
              parameters_text(one.parameters), milliseconds_text(one.milliseconds),
              milliseconds_text(one.standard_milliseconds), fmt::format("{:.3f} x", one.gain()),
              one.from.empty() ? "-" : one.from, text_of(file.device));
}

/// A file's records as objects, with the device and how they were found.
void print_shipped(const ShippedFile& file, const std::string& path) {
  for (const auto& record : file.records) {
    RecordJson measured = RecordJson::array();
    for (const auto& one : record.record.history) measured.push_back(json_of(one));
    print(one_line_of({{"family", record.family},
                       {"version", std::to_string(record.version)},
                       {"problem_class", record.problem_class},
                       {"device", file.device.model},
                       {"units", file.device.compute_units},
                       {"measured", std::move(measured)},
                       {"made", file.made},
                       {"file", path}}) +
          "\n");
  }
}

/// Files that are named must be good. Of those that are installed the bad ones are told of, as the
/// library does, and are not used.
int list_shipped(const Context& context) {
  const bool are_named = !context.arguments().empty();
  std::vector<std::filesystem::path> paths(context.arguments().begin(), context.arguments().end());
  if (!are_named) paths = ShippedRecords(value_or_throw(shipped_folder())).files();
  std::vector<std::pair<std::string, ShippedFile>> files;
  bool all_good = true;
  for (const auto& path : paths) {
    const auto text = read_text(path, most_shipped_bytes);
    auto file = text ? read_shipped_file(*text, path.string()) : tl::unexpected(text.error());
    if (!file && are_named) throw Error(file.error());
    if (!file) complain("warning: {}", file.error().message());
    all_good = all_good && file.has_value();
    if (file) files.emplace_back(path.string(), *std::move(file));
  }
  Table table({"family", "problem class", "size", "parameters", "time", "built in", "gain", "from",
               "device"});
  for (auto& [path, file] : files) {
    std::erase_if(file.records, [&](const ShippedRecord& record) {
      return (context.has("family") &&
              record.family.find(context.text("family")) == std::string::npos) ||
             (context.has("device") &&
              file.device.model.find(context.text("device")) == std::string::npos);
    });
    if (context.flag("json")) print_shipped(file, path);
    for (const auto& record : file.records) add_rows(table, file, record);
  }
  if (!context.flag("json")) print(table.text());
  return all_good ? 0 : 1;
}

int tuned_ls(Context& context) {
  if (context.flag("shipped") && context.flag("searches"))
    throw bad_input("tuned ls: found --shipped and --searches, expected one of them");
  if (context.flag("shipped")) return list_shipped(context);
  if (!context.arguments().empty())
    throw bad_input("tuned ls: found {} without --shipped, expected no FILE",
                    one_line(context.arguments().front()));
  if (context.flag("searches")) return list_searches(context);
  const auto records = records_of(context);
  if (context.flag("json")) {
    for (const auto& record : records) print(tune::json_line_of(record) + "\n");
    return 0;
  }
  Table table({"key", "family", "problem class", "size", "parameters", "time", "built in", "from",
               "written", "device"});
  for (const auto& record : records) add_rows(table, record);
  print(table.text());
  return 0;
}

// `kiln tuned show`: the history of a record, or a search.

void print_line(std::string_view name, std::string_view value) { print_field(name, value, 14); }

void print_record(const StoredRecord& stored) {
  print_line("key", stored.key.hex());
  print_line("family",
             fmt::format("{}, version {}", stored.subject.family, stored.subject.version));
  print_line("problem class", stored.subject.problem_class);
  print_line("device", stored.subject.device);
  print_line("written", date_text(stored.created));
  if (stored.made_elsewhere) print_line("made by", "elsewhere");
  Table table({"size", "parameters", "time", "built in", "kernels", "from"});
  for (const auto& one : stored.record.history)
    table.row(one.size > 0 ? std::to_string(one.size) : "-", parameters_text(one.parameters),
              milliseconds_text(one.milliseconds), milliseconds_text(one.standard_milliseconds),
              one.of == Measurement::Of::kiln ? "Kiln's" : "others'",
              one.from.empty() ? "-" : one.from);
  print(table.text());
}

/// All that is known of one, and its ten fastest.
void print_search(const tune::KeptRun& kept) {
  print_line("search", kept.id);
  print_line("of", kept.run.identity);
  print_line("space", kept.run.space);
  print_line("device", kept.run.device);
  print_line("", fmt::format("{}, {}, {} units, {} floats, {} bytes of local memory",
                             kept.facts.type, kept.facts.vendor, kept.facts.compute_units,
                             kept.facts.native_floats, kept.facts.local_memory));
  print_line("made by", fmt::format("Kiln {} on {}", kept.kiln, kept.system));
  print_line("written", date_text(kept.date));
  print_line("strategy", fmt::format("{}, seed {}", kept.run.strategy, kept.run.seed));
  print_line("evaluations", kept.evaluated == kept.run.evaluations.size()
                                ? std::to_string(kept.evaluated)
                                : fmt::format("{}, of which {} are kept", kept.evaluated,
                                              kept.run.evaluations.size()));
  for (const auto& reason : kept.run.reasons())
    print_line("failed", fmt::format("{} {}{}{}", reason.count, name_of(reason.failure),
                                     reason.message.empty() ? "" : ": ", reason.message));
  if (const auto& winner = kept.run.winner) {
    print_line("winner", fmt::format("{}, {}", kept.run.text(winner->positions),
                                     duration(winner->ending.seconds * 1e9)));
    print_line("decided by",
               fmt::format("{}, {} finalists, {} rounds", name_of(winner->ending.decision),
                           winner->ending.finalists.size(), winner->ending.rounds));
  }
  Table table({"fastest", "time in the search", "in the play-off"});
  const auto standing = kept.run.standing();
  for (std::size_t i = 0; i < std::min(most_configurations, standing.size()); ++i) {
    const auto* finalist = kept.run.finalist(standing[i]->id);
    table.row(kept.run.text(*standing[i]), duration(standing[i]->outcome.time * 1e9),
              finalist == nullptr ? "-" : fmt::format("{:.3f} x", finalist->relative));
  }
  print(table.text());
}

int tuned_show(Context& context) {
  const auto prefixes = prefixes_of(context.arguments());
  if (const auto kept = kept_search(context, prefixes.front())) {
    context.flag("json") ? print(tune::kept_json_of(*kept) + "\n") : print_search(*kept);
    return 0;
  }
  auto records = all_records(context);
  std::erase_if(records,
                [&](const StoredRecord& record) { return !matches_prefix(record.key, prefixes); });
  if (records.empty())
    throw Error(Errc::not_found,
                fmt::format("no tuning record's key begins with {}", prefixes.front()));
  if (records.size() > 1)
    throw bad_input("{} tuning records' keys begin with {}; expected more letters", records.size(),
                    prefixes.front());
  if (context.flag("json"))
    print(tune::json_line_of(records.front()) + "\n");
  else
    print_record(records.front());
  return 0;
}

}  // namespace

const Command tuned_ls_command{
    .name = "tuned ls",
    .summary = "list what is on record of tuning",
    .description =
        "A line for each problem class and size that the local store has a tuning record of, "
        "whatever has written it (kiln tune, a kernel database, an import, a library that measured "
        "its device): the parameters that are used there, their time, where they come from, when "
        "the record was last written, and the device. Sizes in between take the nearest, unless it "
        "is more than some times as large or small; where the built-in parameters were faster in "
        "the same search, they are used.\n\n"
        "With --json every record is an object with all that was measured. --searches lists the "
        "searches that were kept whole, --shipped the records that come with Kiln, which are used "
        "where the store has none: with their gain over the built-in parameters and how they were "
        "found. The exit code is 1 where one of the installed files cannot be used, 2 where FILE "
        "is "
        "not one of shipped records.",
    .options = {{options::store, options::record_family, options::record_device,
                 Option::flag("searches", "Lists the searches that are on record instead."),
                 Option::flag(
                     "shipped",
                     "Lists the records that come with Kiln instead (of share/kiln/tuned or "
                     "KILN_TUNED), or those of FILE."),
                 options::json}},
    .positional =
        Positional::files("FILE", "With --shipped: files of shipped records.", 0, any_number),
    .examples = {{"kiln tuned ls", "What has been tuned, and what came of it?"},
                 {"kiln tuned ls --shipped", "What comes with Kiln, and for which devices?"},
                 {"kiln tuned ls --family gemm --json", "The same of one family, for a script."}},
    .body = tuned_ls,
};

const Command tuned_show_command{
    .name = "tuned show",
    .summary = "show all that was measured for a tuning record, or a search",
    .description =
        "The whole history of a record, the latest last: parameters, problem size, time, whose "
        "kernels were measured and where it comes from; or of a search its surroundings, failures "
        "and ten fastest configurations. KEY is the first letters of a record's key as kiln tuned "
        "ls prints it, or of a search as kiln tuned ls --searches does.",
    .options = {{options::store, options::json}},
    .positional = Positional::word("KEY", "The first letters of a record's key, at least four."),
    .examples = {{"kiln tuned show 3f2a",
                  "What was measured for the record whose key begins with 3f2a?"}},
    .body = tuned_show,
};

}  // namespace kiln::cli
