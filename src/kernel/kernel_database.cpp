#include "kernel/kernel_database.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {
namespace {

const Fact* fact(const Request& request, std::string_view name) {
  const auto found = std::find_if(request.facts.begin(), request.facts.end(),
                                  [&](const Fact& fact) { return fact.name == name; });
  return found == request.facts.end() ? nullptr : &*found;
}

/// Which kernel a Request means; nothing where it does not speak of kernel databases.
struct Wanted {
  std::string pattern;
  std::uint32_t type = 0, flags = 0;
  std::size_t record = 0, slot = 0;
};
std::optional<Wanted> wanted_by(const Request& request) {
  Wanted wanted;
  const Fact* pattern = fact(request, "pattern");
  if (pattern == nullptr || !std::holds_alternative<std::string>(pattern->value)) return {};
  wanted.pattern = std::get<std::string>(pattern->value);
  const auto number = [&](std::string_view name, auto& into, std::int64_t most) {
    const Fact* found = fact(request, name);
    const auto* value = found ? std::get_if<std::int64_t>(&found->value) : nullptr;
    if (value == nullptr || *value < 0 || *value > most) return false;
    into = static_cast<std::remove_reference_t<decltype(into)>>(*value);
    return true;
  };
  const bool all = number("data type", wanted.type, 3) &&
                   number("flags", wanted.flags, 0xffffffff) &&
                   number("record", wanted.record, 0xffffffff) && number("kernel", wanted.slot, 2);
  return all ? std::optional(wanted) : std::nullopt;
}

const kdb::Record* find_record(const kdb::Database& database, const Wanted& wanted) {
  for (const auto& pattern : database.patterns) {
    if (pattern.name != wanted.pattern) continue;
    for (const auto& setting : pattern.settings)
      if (setting.type == wanted.type && setting.flags == wanted.flags &&
          wanted.record < setting.records.size())
        return &setting.records[wanted.record];
  }
  return nullptr;
}

}  // namespace

Expected<std::unique_ptr<KernelDatabase>> KernelDatabase::open(Bytes file,
                                                               std::string device_name) {
  std::unique_ptr<KernelDatabase> source(
      new KernelDatabase(std::move(file), std::move(device_name)));
  auto database = kdb::parse(source->file_);
  if (!database) return tl::unexpected(database.error());
  if (database->layout == kdb::Layout::v3)
    return fail(Errc::unsupported,
                "kernel database, byte 3, version: 3 holds no kernels; expected the published "
                "layout, version 1");
  for (const auto& finding : kdb::verify(*database))
    if (finding.severity == kdb::Finding::Severity::error)
      return fail(Errc::corrupt, fmt::format("kernel database, byte {}, {}: {}",
                                             finding.place.offset, finding.rule, finding.text));
  source->database_ = std::move(*database);
  return source;
}

BinarySource::Found KernelDatabase::find(const Request& request, const Device& device) const {
  const auto wanted = wanted_by(request);
  if (!wanted) return {{}, "the program is of no pattern of clBLAS"};
  const auto* record = find_record(database_, *wanted);
  const ByteView binary = record ? kdb::kernel(database_, *record, wanted->slot) : ByteView();
  if (binary.empty()) return {{}, "it has no such kernel"};
  // PoCL's archives name their device themselves, and are verified like those of the store.
  if (!device.pocl && device_name_ != device.name)
    return {{},
            fmt::format("it is for the device '{}', this one is '{}'", device_name_, device.name)};
  Artifact artifact;
  artifact.form = device.pocl ? Artifact::Form::pocl_archive : Artifact::Form::driver_binary;
  artifact.binary.assign(binary.begin(), binary.end());
  return {std::move(artifact), ""};
}

}  // namespace kiln
