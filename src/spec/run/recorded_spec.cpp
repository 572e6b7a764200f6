#include "spec/run/recorded_spec.hpp"

#include <fmt/format.h>

#include "schedule/recorded_kernel.hpp"

namespace kiln::spec {
namespace {

void symbols(FactFields& to, std::string_view name, std::map<std::string, expr::Value>& values) {
  to.map(
      name, values, [](const expr::Value& value) { return value.text(); },
      [](const std::string& symbol, const std::string& text) -> Expected<expr::Value> {
        auto parsed = parse_symbol(symbol + "=" + text);
        if (!parsed) return tl::unexpected(parsed.error());
        return std::move(parsed->second);
      });
}

void fields(FactFields& to, RecordedSpec& spec) {
  std::string file = spec.file.string();
  to.text("file", file, "a path");
  spec.file = file;
  const bool has_dialect = spec.dialect != SpecDialect::automatic;
  to.parsed("dialect", spec.dialect, has_dialect ? std::string(name_of(spec.dialect)) : "",
            parse_dialect);
  symbols(to, "set", spec.symbols.set);
  symbols(to, "set_if", spec.symbols.set_if);
  to.list(
      "source_dir", spec.source_dirs, [](const auto& folder) { return folder.string(); },
      [](const std::string& text) -> Expected<std::filesystem::path> { return text; });
  to.parsed("local_size", spec.local_size, fmt::format("{}", fmt::join(spec.local_size, "x")),
            parse_sizes);
  to.parsed("partition", spec.partition, spec.partition ? spec.partition->text() : "",
            [](std::string_view text) -> Expected<std::optional<Partition>> {
              return Partition::parse(text);
            });
}

}  // namespace

RecordedCall recorded_call(const RecordedSpec& spec, const std::string& kernel,
                           const std::vector<Queue>& queues) {
  RecordedCall call;
  call.kind = "spec";
  call.name = kernel;
  call.facts = to_facts(spec, fields);
  for (const auto& queue : queues) call.devices.push_back(RecordedDevice::of(*queue.device()));
  return call;
}

Expected<RecordedSpec> recorded_spec_of(const RecordedCall& recorded) {
  return from_facts<RecordedSpec>(recorded.facts, fields);
}

}  // namespace kiln::spec
