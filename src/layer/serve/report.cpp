#include "layer/serve/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"

namespace kiln::layer {
namespace {

using Json = nlohmann::ordered_json;

const char* report_file() {
  static const char* const file = [] {
    const char* named = std::getenv("KILN_LAYER_REPORT");
    return named == nullptr || *named == '\0' ? nullptr : named;
  }();
  return file;
}

/// With three decimals: a clock has no more, and people read it.
double ms_of(std::int64_t ns) { return static_cast<double>((ns + 500) / 1000) / 1000; }
double ms_since(std::int64_t start_ns) { return ms_of(now_ns() - start_ns); }

/// A whole line, between those of other threads and processes.
void write_line(const Json& object) {
  const std::string line = object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const FileDescriptor file(::open(report_file(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (file) (void)write_all(file.get(), as_bytes(line), report_file());
}

const char* name_of(BuildReport::Outcome outcome) {
  constexpr const char* names[] = {"served", "kept", "left", "own binary"};
  return names[static_cast<std::size_t>(outcome)];
}

}  // namespace

bool is_reporting() { return report_file() != nullptr; }

void report(const BuildReport& build) {
  if (!is_reporting()) return;
  Json steps = Json::array();
  for (const auto& step : build.found.steps)
    steps.push_back({{"layer", step.layer},
                     {"answered", step.answered},
                     {"ms", ms_of(step.end_ns - step.start_ns)},
                     {"reason", step.reason}});
  write_line({{"event", "build"},
              {"process", ::getpid()},
              {"program", build.found.what},
              {"key", build.found.key},
              {"outcome", name_of(build.outcome)},
              {"reason", build.reason},
              {"ms", ms_since(build.started_ns)},
              {"steps", steps},
              {"notes", build.found.notes}});
}

void report(const VariantReport& variant) {
  if (!is_reporting()) return;
  write_line({{"event", "variant"},
              {"process", ::getpid()},
              {"program", variant.program},
              {"kernel", variant.kernel},
              {"variant", variant.variant},
              {"compiled", variant.is_compiled},
              {"reason", variant.reason},
              {"ms", ms_since(variant.started_ns)}});
}

}  // namespace kiln::layer
