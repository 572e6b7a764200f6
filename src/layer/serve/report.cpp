#include "layer/serve/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"
#include "base/lifetime.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"

namespace kiln::layer {
namespace {

using Json = nlohmann::ordered_json;

/// A copy: programs write over their environment. Empty: none is asked for.
const std::string& report_file() {
  static NeverDestroyed<std::string> file(environment("KILN_LAYER_REPORT"));
  return *file;
}

/// With three decimals: a clock has no more, and people read it.
double ms_of(std::int64_t ns) { return static_cast<double>((ns + 500) / 1000) / 1000; }
double ms_since(std::int64_t start_ns) { return ms_of(now_ns() - start_ns); }

/// Whole, between those of other threads and processes. Not into pipes: the program would wait for
/// their reader, or end with it.
void write(const std::string& text) {
  const FileDescriptor file(
      ::open(report_file().c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  struct stat is {};
  if (!file || ::fstat(file.get(), &is) != 0)
    throw Error(Errc::io, fmt::format("{}: {}", report_file(), std::strerror(errno)));
  if (!S_ISREG(is.st_mode) && !S_ISCHR(is.st_mode))
    throw Error(Errc::bad_input, fmt::format("{}: expected a file", report_file()));
  value_or_throw(write_all(file.get(), as_bytes(text), report_file()));
}

/// Programs read lines of JSON, people text: the file's name says for whom it is.
bool is_for_programs() {
  static const bool is = report_file().ends_with(".jsonl");
  return is;
}

std::string line_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char* name_of(BuildReport::Outcome outcome) {
  constexpr const char* names[] = {"served", "kept", "left", "own binary"};
  return names[static_cast<std::size_t>(outcome)];
}

Json json_of(const BuildReport& build) {
  Json steps = Json::array();
  for (const auto& step : build.found.steps)
    steps.push_back({{"layer", step.layer},
                     {"answered", step.answered},
                     {"ms", ms_of(step.end_ns - step.start_ns)},
                     {"reason", step.reason}});
  return {{"event", "build"},
          {"process", ::getpid()},
          {"program", build.found.what},
          {"key", build.found.key},
          {"outcome", name_of(build.outcome)},
          {"reason", build.reason},
          {"ms", ms_since(build.started_ns)},
          {"steps", steps},
          {"notes", build.found.notes}};
}

Json json_of(const VariantReport& variant) {
  return {{"event", "variant"},         {"process", ::getpid()},
          {"program", variant.program}, {"kernel", variant.kernel},
          {"variant", variant.variant}, {"compiled", variant.is_compiled},
          {"reason", variant.reason},   {"ms", ms_since(variant.started_ns)}};
}

Json json_of(const LocalSizeReport& found) {
  return {{"event", "local size"},  {"process", ::getpid()},          {"program", found.program},
          {"kernel", found.kernel}, {"launches", found.sizes},        {"local", found.local},
          {"reason", found.reason}, {"on_record", found.is_on_record}};
}

std::string text_for_people(const BuildReport& build) {
  const std::string reason = one_line(build.reason);
  std::string outcome = "served";
  if (build.outcome == BuildReport::Outcome::left) outcome = "left to the driver: " + reason;
  if (build.outcome == BuildReport::Outcome::kept)
    outcome = fmt::format("built by the driver in {:.1f} ms, and kept", ms_since(build.started_ns));
  if (build.outcome == BuildReport::Outcome::own_binary)
    outcome = "the application's own binary" + (reason.empty() ? "" : ", " + reason);
  return text_of(build.found) + "  " + outcome + "\n";
}

std::string text_for_people(const VariantReport& variant) {
  Explanation found;
  found.what = variant.program;
  found.steps.push_back({"variant", variant.reason.empty(),
                         fmt::format("{} of {}{}", variant.variant, variant.kernel,
                                     !variant.reason.empty() ? ", " + variant.reason
                                     : variant.is_compiled   ? ""
                                                             : ", of the driver"),
                         variant.started_ns, now_ns()});
  return text_of(found);
}

std::string text_for_people(const LocalSizeReport& found) {
  const std::string what =
      found.local.empty() ? "the driver's own local size stays"
                          : fmt::format("local size {} in place of the driver's own", found.local);
  return fmt::format("{}: {}, {}\n  {}: {}{}\n", found.program, found.kernel, found.sizes, what,
                     found.reason, found.is_on_record ? ", on record" : "");
}

/// One line for all that fail.
void log_report_failure() noexcept {
  static std::atomic<bool> is_logged{false};
  if (!is_logged.exchange(true)) log_failure("the layer's report");
}

template <class Event>
void write_event(const Event& event) noexcept {
  try {
    if (is_reporting()) write(is_for_programs() ? line_of(json_of(event)) : text_for_people(event));
  } catch (...) {
    log_report_failure();
  }
}

}  // namespace

bool is_reporting() { return !report_file().empty(); }

void report(const BuildReport& build) noexcept { write_event(build); }
void report(const VariantReport& variant) noexcept { write_event(variant); }
void report(const LocalSizeReport& found) noexcept { write_event(found); }

}  // namespace kiln::layer
