// `kiln verify`: is every split of these kernels right?
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/data/number.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/options.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/run/options.hpp"
#include "cli/run/run_output.hpp"
#include "kiln/json.hpp"
#include "spec/run_spec.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;
using spec::Verdict;

std::vector<std::int64_t> datasets_of(const Context& context) {
  std::vector<std::int64_t> datasets;
  for (const auto& word : split(context.text("datasets"), ',')) {
    const auto value = parse_number<std::int64_t>(word);
    if (!value || *value <= 0)
      throw bad_input("--datasets: '{}': a positive number was expected", word);
    datasets.push_back(*value);
  }
  return datasets;
}

std::string device_names(const std::vector<DevicePtr>& devices) {
  std::string text;
  for (const auto& device : devices)
    text += fmt::format("{}{} ({})", text.empty() ? "" : " + ", device->name,
                        plural(device->compute_units, "unit"));
  return text;
}

/// Prints verdicts as they come, and counts them.
class Printer {
 public:
  Printer(const Context& context, std::string devices)
      : json_(context.flag("json")), devices_(std::move(devices)) {}

  void print_one(const std::string& file, std::int64_t dataset, const Verdict& verdict,
                 KernelOutputOfSpecs& printed) {
    ++counts_[verdict.outcome];
    if (json_) return print_object(file, dataset, verdict, printed.take());
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return group.outcome == verdict.outcome && group.reason == verdict.reason;
    });
    if (same == groups_.end())
      groups_.push_back({verdict.outcome, verdict.reason, verdict.split});
    else
      same->splits += " " + verdict.split;
  }

  /// For people: one line for the splits of a spec and size that came to the same.
  void finish_spec(const std::string& file, std::int64_t dataset) {
    for (const auto& group : groups_) {
      const Style style = group.outcome == "wrong"   ? Style::bad
                          : group.outcome == "equal" ? Style::good
                                                     : Style::dim;
      print("{}  {}{}  [{}]{}\n", styled(style, fmt::format("{:<7}", group.outcome)), file,
            dataset > 0 ? fmt::format(" dataset={}", dataset) : "", group.splits,
            group.reason.empty() ? "" : "  " + group.reason);
    }
    groups_.clear();
    flush_output();
  }

  void print_summary(std::size_t failed) {
    if (json_ || counts_.empty()) return;
    print("{} equal, {} refused, {} wrong on {}\n", counts_["equal"], counts_["refused"],
          counts_["wrong"], devices_);
    if (failed > 0) print("{} did not run\n", failed);
  }
  bool any_wrong() { return counts_["wrong"] > 0; }

 private:
  struct Group {
    std::string outcome, reason, splits;
  };

  void print_object(const std::string& file, std::int64_t dataset, const Verdict& verdict,
                    const KernelText& printed) {
    Json object{{"spec", file}, {"devices", devices_}};
    object.update(Json::parse(kiln::json_of(verdict)));
    if (dataset > 0) object["dataset"] = dataset;
    printed.add_to(object);
    print_json(object);
  }

  bool json_;
  std::string devices_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> counts_;
};

int verify_specs(Context& context) {
  auto datasets = datasets_of(context);
  const auto splits = spec::splits_to_verify(split(context.text("splits"), ','));
  spec::VerifyOptions options;
  const auto symbols = symbols_of(context);
  options.set = symbols.set;
  options.dialect = dialect_of(context);
  options.source_folders = context.paths("source-dir");
  if (context.has("rtol")) options.rtol = context.number("rtol");
  if (context.has("check-bounds") && !context.flag("check-bounds"))
    options.bounds = Bounds::unchecked;
  const auto runtime = make_runtime(context, Runtime::State::Single::halved);
  if (runtime->devices().size() == 1)
    complain(
        "warning: there is one device, so nothing is split (--devices cpu/2 makes two of a "
        "processor)");
  Printer printer(context, device_names(runtime->devices()));
  if (datasets.empty()) datasets.push_back(0);  // 0: as --set or the default says
  Progress progress("verify", context.arguments().size() * datasets.size());
  using Printed = KernelOutputOfSpecs;
  Printed printed(context.flag("json") ? Printed::To::json : Printed::To::errors,
                  Printed::Shown::beginning, progress);
  int worst = 0;
  std::size_t failed = 0, left = context.arguments().size() * datasets.size();
  std::optional<Error> end;
  for (const auto& file : context.arguments()) {
    if (end) break;
    for (const auto dataset : datasets) {
      --left;
      stop_if_interrupted();
      progress.note(file);
      options.set_if = symbols.set_if;
      if (dataset > 0) options.set_if.insert_or_assign("dataset", expr::Value(dataset));
      try {
        spec::verify_spec(file, options, splits, *runtime, [&](const Verdict& verdict) {
          stop_if_interrupted();
          progress.hide();
          printer.print_one(file, dataset, verdict, printed);
        });
        printed.take();
        printer.finish_spec(file, dataset);
      } catch (const Error& error) {
        printed.take();
        progress.hide();
        printer.finish_spec(file, dataset);
        auto failure = failure_of(error, *runtime, left);
        worst = std::max(worst, tell_failure(context, file, failure.error));
        ++failed;
        end = std::move(failure.end);
      }
      progress.advance();
      if (end) break;
    }
  }
  printer.print_summary(failed);
  progress.hide();
  if (end) throw *end;
  return std::max(worst, printer.any_wrong() ? 1 : 0);
}

}  // namespace

const Command verify_command{
    .name = "verify",
    .summary = "check that every split of a kernel gives the result of one device",
    .description =
        "Runs each kernel on one device and split over several, and compares the results. Each "
        "spec and split is equal, refused (Kiln will not split this kernel, and says why) or "
        "wrong. The exit code is 1 only where one is wrong, or where a kernel writes outside of "
        "its buffers.\n\n"
        "Without --devices, a machine with a single processor is split into its two halves.\n\n"
        "What is proved for a kernel and a size is remembered in the store, so that later runs may "
        "send less data to each device.",
    .options = {{options::set, options::set_if, options::devices,
                 Option::text("datasets", "LIST",
                              "The values of the symbol dataset to try, separated by commas. "
                              "Default: the value that --set gives, or 1024."),
                 Option::text("splits", "LIST",
                              "The splits to try, separated by commas, each as for kiln run "
                              "--partition. Default: 0 to 10."),
                 options::rtol,
                 Option::flag("check-bounds",
                              "Looks for writes outside of buffers, by zones around each buffer in "
                              "the runs on one device; --no-check-bounds leaves it out."),
                 options::json, options::source_dir, options::dialect},
                options::stores},
    .positional = spec_files,
    .examples = {{"kiln verify specs/*.json", "Is every split of these kernels right?"},
                 {"kiln verify blur.json --devices cpu/2 --datasets 64,257 --splits 3,5,7 --json",
                  "Tries some sizes and splits, for a program to read."}},
    .body = verify_specs,
};

}  // namespace kiln::cli
