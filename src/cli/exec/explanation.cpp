#include "cli/exec/explanation.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/data/text.hpp"
#include "cli/command/context.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"

namespace kiln::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string ms_text(double ms) { return duration(ms * 1e6); }

/// What all events of a run add up to.
struct Sums {
  std::set<std::int64_t> processes;
  std::size_t programs = 0, compiled = 0, own_binaries = 0, kept = 0, unreadable = 0;
  double ms = 0;
  std::map<std::string, std::size_t> served;  ///< by the layer of the store
  std::map<std::string, std::size_t> left;    ///< by the reason
  std::size_t variants_compiled = 0, variants_learnt = 0;
  std::size_t compilers = 0;  ///< that Kiln started for programs and variants
};

bool compiles(const std::string& layer) { return layer == "compile" || layer == "variant"; }

/// A step that the layer leaves to its caller, as the layer always does with the last one.
bool is_idle(const Json& step) {
  return step.at("reason").get<std::string>().starts_with("left to the caller");
}

/// The layer that gave what was served: the last one that answered, but for additions to it.
std::string source_of(const Json& steps) {
  std::string source;
  for (const auto& step : steps)
    if (const auto layer = step.at("layer").get<std::string>();
        step.at("answered").get<bool>() && layer != "load" && layer != "variant" &&
        layer != "trial")
      source = layer;
  return source;
}

std::string text_of_step(const Json& step) {
  const auto reason = step.at("reason").get<std::string>();
  return fmt::format("    {:<12} {:<6} {:>10}{}{}\n", one_line(step.at("layer").get<std::string>()),
                     step.at("answered").get<bool>() ? "hit" : "miss",
                     ms_text(step.at("ms").get<double>()), reason.empty() ? "" : "  ",
                     one_line(reason));
}

/// How it ended, and it is counted.
std::string outcome_of(const Json& build, Sums& sums) {
  const auto outcome = build.at("outcome").get<std::string>();
  const auto reason = build.at("reason").get<std::string>();
  if (outcome == "own binary") {
    ++sums.own_binaries;
    return "the application's own binary" + (reason.empty() ? "" : ", " + reason);
  }
  if (outcome == "kept") {
    ++sums.kept;
    return "built by the driver, and kept";
  }
  if (outcome != "served") {
    ++sums.left[reason];
    return "left to the driver: " + reason;
  }
  const std::string source = source_of(build.at("steps"));
  if (source == "compile")
    ++sums.compiled;
  else
    ++sums.served[source];
  return source == "compile" ? "compiled by the helper, and kept" : "served from the " + source;
}

std::string text_of_build(const Json& build, Sums& sums) {
  const double ms = build.at("ms").get<double>();
  ++sums.programs;
  sums.ms += ms;
  const auto key = build.at("key").get<std::string>();
  std::string text = fmt::format("  {}{}{}\n", one_line(build.at("program").get<std::string>()),
                                 key.empty() ? "" : "  key ", one_line(key.substr(0, 16)));
  for (const auto& step : build.at("steps")) {
    if (is_idle(step)) continue;
    sums.compilers += compiles(step.at("layer").get<std::string>()) ? 1 : 0;
    text += text_of_step(step);
  }
  for (const auto& note : build.at("notes"))
    text += fmt::format("    note         {}\n", one_line(note.get<std::string>()));
  return text + fmt::format("    {} in {}\n", one_line(outcome_of(build, sums)), ms_text(ms));
}

std::string text_of_variant(const Json& variant, Sums& sums) {
  const double ms = variant.at("ms").get<double>();
  const bool is_compiled = variant.at("compiled").get<bool>();
  const auto reason = variant.at("reason").get<std::string>();
  sums.ms += ms;
  sums.compilers += is_compiled || !reason.empty() ? 1 : 0;
  if (is_compiled)
    ++sums.variants_compiled;
  else if (reason.empty())
    ++sums.variants_learnt;
  return fmt::format("  {}\n    variant      {} of {} {} in {}\n",
                     one_line(variant.at("program").get<std::string>()),
                     one_line(variant.at("variant").get<std::string>()),
                     one_line(variant.at("kernel").get<std::string>()),
                     is_compiled      ? "compiled for a launch"
                     : reason.empty() ? "taken over from the driver"
                                      : one_line(reason),
                     ms_text(ms));
}

std::string text_of_local_size(const Json& found) {
  const auto local = found.at("local").get<std::string>();
  return fmt::format(
      "  {}\n    {} of {}, {}: {}{}\n", one_line(found.at("program").get<std::string>()),
      local.empty() ? "the driver's own local size"
                    : "local size " + one_line(local) + " in place of the driver's own",
      one_line(found.at("kernel").get<std::string>()),
      one_line(found.at("launches").get<std::string>()),
      one_line(found.at("reason").get<std::string>()),
      found.at("on_record").get<bool>() ? ", on record" : "");
}

std::string text_of_event(std::string_view line, Sums& sums) {
  // Counted only where all of the line could be read.
  Sums with = sums;
  const Json event = Json::parse(line);
  with.processes.insert(event.at("process").get<std::int64_t>());
  const auto kind = event.at("event").get<std::string>();
  std::string text = kind == "build"        ? text_of_build(event, with)
                     : kind == "local size" ? text_of_local_size(event)
                                            : text_of_variant(event, with);
  sums = std::move(with);
  return text;
}

std::size_t total_of(const std::map<std::string, std::size_t>& counts) {
  std::size_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

/// "the text asks for __DATE__; it did not compile before (3)".
std::string reasons_text(const std::map<std::string, std::size_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += (text.empty() ? "" : "; ") + one_line(reason) +
            (count > 1 ? fmt::format(" ({})", count) : std::string());
  return text;
}

/// What became of the programs.
std::string outcomes_text(const Sums& sums) {
  std::string text;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  for (const auto& [layer, count] : sums.served) add(count, "served from the " + one_line(layer));
  add(sums.compiled, "compiled by the helper");
  add(sums.kept, "built by the driver and kept");
  add(sums.own_binaries, "of the application's own binaries");
  if (!sums.left.empty())
    add(total_of(sums.left), fmt::format("left to the driver ({})", reasons_text(sums.left)));
  return text.empty() ? "" : ": " + text;
}

std::string closing_line(const Sums& sums) {
  if (sums.processes.empty()) return "no program was built with the layer";
  std::string text =
      fmt::format("{} built in {}", plural(sums.programs, "program"), ms_text(sums.ms));
  if (sums.processes.size() > 1) text += fmt::format(" by {} processes", sums.processes.size());
  text += outcomes_text(sums);
  if (sums.variants_compiled + sums.variants_learnt > 0)
    text += fmt::format("; variants of launches: {} compiled, {} taken over from the driver",
                        sums.variants_compiled, sums.variants_learnt);
  return text + fmt::format("; compilers started: {}", sums.compilers);
}

}  // namespace

void print_report(std::string_view lines) {
  Sums sums;
  for (const std::string& line : split(lines, '\n')) {
    if (line.empty()) continue;
    try {
      std::string text = text_of_event(line, sums);
      text.pop_back();  // its last line's end
      complain(std::string_view(text).substr(2));
    } catch (const Json::exception&) {
      ++sums.unreadable;
    }
  }
  if (sums.unreadable > 0)
    complain("note: {} of the report could not be read", plural(sums.unreadable, "line"));
  complain(closing_line(sums));
}

}  // namespace kiln::cli
