#include "spec/run/recorded_spec.hpp"

#include <fmt/format.h>

#include "base/data/text.hpp"
#include "schedule/recorded_kernel.hpp"

namespace kiln::spec {
namespace {

constexpr std::string_view set = "set ", set_if = "set_if ", source_dir = "source_dir ";

void put_symbols(RecordedCall& to, std::string_view prefix,
                 const std::map<std::string, expr::Value>& symbols) {
  for (const auto& [name, value] : symbols)
    to.facts.push_back({std::string(prefix) + name, value.text()});
}

Expected<void> take_symbol(std::map<std::string, expr::Value>& to, std::string_view name,
                           const std::string& value) {
  auto symbol = parse_symbol(std::string(name) + "=" + value);
  if (!symbol) return tl::unexpected(symbol.error());
  to.insert(*std::move(symbol));
  return {};
}

}  // namespace

RecordedCall recorded_call(const RecordedSpec& spec, const std::string& kernel,
                           const std::vector<Queue>& queues) {
  RecordedCall call;
  call.kind = "spec";
  call.name = kernel;
  call.facts.push_back({"file", spec.file.string()});
  if (spec.dialect != SpecDialect::automatic)
    call.facts.push_back({"dialect", std::string(name_of(spec.dialect))});
  put_symbols(call, set, spec.symbols.set);
  put_symbols(call, set_if, spec.symbols.set_if);
  for (std::size_t i = 0; i < spec.source_dirs.size(); ++i)
    call.facts.push_back(
        {std::string(source_dir) + std::to_string(i), spec.source_dirs[i].string()});
  if (!spec.local_size.empty())
    call.facts.push_back({"local_size", fmt::format("{}", fmt::join(spec.local_size, "x"))});
  if (spec.partition) call.facts.push_back({"partition", spec.partition->text()});
  for (const auto& queue : queues) call.devices.push_back(RecordedDevice::of(*queue.device()));
  return call;
}

Expected<RecordedSpec> recorded_spec_of(const RecordedCall& recorded) {
  RecordedSpec spec;
  spec.file = recorded.text("file");
  if (spec.file.empty()) return fail(Errc::bad_input, "'file': expected a path");
  for (const auto& fact : recorded.facts) {
    const std::string_view name = fact.name;
    const auto* text = std::get_if<std::string>(&fact.value);
    Expected<void> taken;
    if (text != nullptr && name.starts_with(set))
      taken = take_symbol(spec.symbols.set, name.substr(set.size()), *text);
    else if (text != nullptr && name.starts_with(set_if))
      taken = take_symbol(spec.symbols.set_if, name.substr(set_if.size()), *text);
    else if (text != nullptr && name.starts_with(source_dir))
      spec.source_dirs.emplace_back(*text);
    if (!taken)
      return fail(Errc::bad_input,
                  fmt::format("'{}': {}", one_line(name), taken.error().message()));
  }
  if (recorded.fact("dialect") != nullptr) {
    const auto dialect = parse_dialect(recorded.text("dialect"));
    if (!dialect) return fail(Errc::bad_input, "'dialect': " + dialect.error().message());
    spec.dialect = *dialect;
  }
  if (recorded.fact("local_size") != nullptr) {
    auto sizes = parse_sizes(recorded.text("local_size"));
    if (!sizes) return fail(Errc::bad_input, "'local_size': " + sizes.error().message());
    spec.local_size = *std::move(sizes);
  }
  if (recorded.fact("partition") != nullptr) {
    auto partition = Partition::parse(recorded.text("partition"));
    if (!partition) return fail(Errc::bad_input, "'partition': " + partition.error().message());
    spec.partition = *std::move(partition);
  }
  return spec;
}

}  // namespace kiln::spec
