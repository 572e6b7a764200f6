// Programs that applications which know nothing of Kiln have built.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "kernel/program/link_units.hpp"
#include "kiln/prebuild.hpp"
#include "kiln/store.hpp"
#include "layer/program/compile_record.hpp"
#include "layer/program/program_request.hpp"
#include "layer/program/usage_record.hpp"
#include "prebuild/build_call.hpp"
#include "store/layer/layers.hpp"
#include "store/local/local_store.hpp"

namespace kiln {
namespace {

using layer::UsageRecord;
using layer::UsedProgram;

constexpr std::string_view label_begin = "programs of ";
constexpr std::size_t most_named = 5;

/// Those whose records are among these entries, sorted.
std::vector<std::string> applications_in(const std::vector<EntryInfo>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    std::string_view name = entry.metadata.label;
    if (entry.kind != EntryKind::record || !name.starts_with(label_begin)) continue;
    name.remove_prefix(label_begin.size());
    // Whatever a label says, the key tells the truth.
    if (entry.key == key_of(layer::canonical_of_usage(name))) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Error nothing_of(std::string_view application, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string hint = did_you_mean(application, names);
  if (hint.empty() && !names.empty())
    hint = fmt::format(
        "; there is of {}{}",
        fmt::join(names.begin(), names.begin() + std::min(names.size(), most_named), ", "),
        names.size() > most_named ? ", …" : "");
  return {Errc::not_found,
          one_line(fmt::format("nothing is on record of the program '{}'{}", application,
                               hint.empty() ? " (kiln exec puts it there)" : hint))};
}

/// The entry at a key, if there is one.
std::optional<EntryInfo> entry_at(const Store& store, const Key& key) {
  try {
    return store.entry(key.hex(), EntryKind::record);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    throw;
  }
}

UsageRecord record_of(const Store& store, std::string_view application) {
  const auto entry = entry_at(store, key_of(layer::canonical_of_usage(application)));
  if (!entry || entry->metadata.schema != layer::usage_schema)
    throw nothing_of(application, recorded_applications(store));
  return layer::StoredUsage(store.content(*entry)).record();
}

/// The program's text, as far as it is there.
std::string text_of(const Store& store, const UsedProgram& program) {
  const auto entry = entry_at(store, key_of(layer::canonical_of_text(program.text)));
  return entry ? std::string(as_text(store.content(*entry))) : std::string();
}

/// The parts of a linked program; none of another one.
std::vector<Unit> units_of(const Store& store, const UsedProgram& program) {
  const std::string text = text_of(store, program);
  if (!are_units(text)) return {};
  return units_of_text(text).value_or(std::vector<Unit>());
}

}  // namespace

std::vector<std::string> recorded_applications(const Store& store) {
  EntryFilter records;
  records.kind = EntryKind::record;
  return applications_in(store.entries(records));
}

std::vector<RecordedProgram> programs_used_by(const Store& store, std::string_view application) {
  std::vector<RecordedProgram> programs;
  for (const auto& used : record_of(store, application))
    programs.push_back({used.artifact.hex(), layer::first_kernel(text_of(store, used)),
                        used.options, used.fingerprint, used.variants.size()});
  return programs;
}

std::vector<std::string> keys_used_by(const Store& store, std::string_view application,
                                      const std::vector<std::string>& devices) {
  const auto is_wanted = [&](const std::string& fingerprint) {
    return devices.empty() || std::ranges::any_of(devices, [&](const std::string& device) {
             return fingerprint.find(device) != std::string::npos;
           });
  };
  std::set<std::string> keys{key_of(layer::canonical_of_usage(application)).hex()};
  for (const auto& used : record_of(store, application)) {
    keys.insert(key_of(layer::canonical_of_text(used.text)).hex());
    if (!is_wanted(used.fingerprint)) continue;
    keys.insert(used.artifact.hex());
    // With the variables of this process, and without: the record does not have them.
    for (const auto& unit : units_of(store, used))
      for (const auto& variables : {layer::compiler_variables(), std::vector<std::string>()})
        keys.insert(key_of(layer::canonical_of_compiled(unit, used.fingerprint, variables)).hex());
  }
  return {keys.begin(), keys.end()};
}

std::optional<ImportOutcome> import_used(const Store& store, const PackEntry& entry,
                                         ImportMode mode) {
  const EntryHead& head = entry.head;
  if (head.kind == EntryKind::record && layer::is_of_text(head.canonical) &&
      !std::ranges::equal(head.canonical, layer::canonical_of_text(blake2b(entry.content))))
    return ImportOutcome::refused;
  const auto application = layer::program_of_usage(head.canonical);
  if (head.kind != EntryKind::record || head.metadata.schema != layer::usage_schema ||
      !application || !refusal_of(entry, default_trust()).empty())
    return std::nullopt;
  const auto record = layer::decode_usage(entry.content);
  if (!record) return ImportOutcome::refused;
  LocalStore local(store.folder());
  const auto present = local.look_up(head.kind, head.key, head.canonical).entry;
  if (!present || (present->metadata.signature && !entry.signature)) return std::nullopt;
  layer::StoredUsage here(present->content);
  bool has_more = false;
  for (const auto& program : *record) has_more = here.add(program) || has_more;
  if (has_more && mode == ImportMode::write)
    value_or_throw(layer::add_used(local, *application, *record));
  return has_more ? ImportOutcome::imported : ImportOutcome::present;
}

// Compiling what is on record.

namespace {

/// The programs of a record, each once, with the variants of all devices.
UsageRecord distinct(const UsageRecord& record) {
  const auto identity = [](const UsedProgram& program) {
    std::vector<std::tuple<std::uint32_t, std::uint64_t>> constants;
    for (const auto& one : program.constants) constants.emplace_back(one.id, one.value);
    return std::tuple(program.text, program.options, constants);
  };
  std::map<decltype(identity(UsedProgram{})), std::size_t> places;
  UsageRecord programs;
  for (const auto& program : record) {
    const auto [place, is_new] = places.try_emplace(identity(program), programs.size());
    if (is_new)
      programs.push_back(program);
    else
      programs[place->second].variants.insert(program.variants.begin(), program.variants.end());
  }
  return programs;
}

/// One of each kind of device: those of a kind have the same keys.
std::vector<DevicePtr> distinct(const std::vector<DevicePtr>& devices) {
  std::vector<DevicePtr> kinds;
  for (const auto& device : devices)
    if (std::ranges::none_of(kinds, [&](const DevicePtr& known) {
          return known->fingerprint() == device->fingerprint();
        }))
      kinds.push_back(device->parent ? device->parent : device);
  return kinds;
}

bool fits(const poclbin::Variant& variant, const Device& device) {
  std::size_t items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t local = variant.local[d];
    const bool is_bounded = d < device.max_work_item_sizes.size();
    if (is_bounded && local > device.max_work_item_sizes[d]) return false;
    if (__builtin_mul_overflow(items, local, &items)) return false;
  }
  return items <= device.max_work_group_size;
}

/// What launches of other devices have needed, as far as this one can do it.
std::vector<KernelVariant> wanted_of(const UsedProgram& program, const Device& device) {
  std::vector<KernelVariant> wanted;
  for (const auto& [kernel, folder] : program.variants)
    if (const auto variant = poclbin::Variant::from_folder(folder);
        device.pocl && variant && fits(*variant, device))
      wanted.push_back({kernel, *variant});
  return wanted;
}

/// Puts on record that the parts of a linked program compile, and what is said of them: an
/// application asks for that before it links.
void note_parts(const std::string& linked, const Device& device, Resolver& resolver) {
  const cl::Context context(device.handle);
  for (const auto& unit : value_or_throw(units_of_text(linked))) {
    if (layer::compiled_log(*resolver.store(), unit, device)) continue;
    if (const auto log = log_of_compiled(context(), device.handle(), unit))
      value_or_throw(layer::keep_compiled(*resolver.store(), unit, device, *log));
  }
}

/// Builds one program for a device, and puts it on record that it is there. How that was done.
Explanation build(const UsedProgram& program, std::string_view application, const DevicePtr& device,
                  Resolver& resolver) {
  auto text = layer::used_text(*resolver.store(), program.text);
  if (!text) throw Error(Errc::not_found, "the program's text is not in the store");
  const Request request =
      value_or_throw(layer::request_of(program, *std::move(text), application, *device));
  const auto wanted = wanted_of(program, *device);
  Explanation explanation;
  if (device->pocl) {
    if (resolver.startable(request, device, wanted, &explanation).binary.empty())
      throw Error(Errc::unsupported, "the driver takes no other process's program");
  } else {
    const auto context = kiln::Context::create({device});  // owns the program
    resolver.resolve(request, context, device, wanted, &explanation);
  }
  UsedProgram used = program;
  used.artifact = key_of(canonical_request(request, {}, *device));
  used.fingerprint = device->fingerprint();
  used.variants.clear();
  for (const auto& one : wanted) used.variants.emplace(one.kernel, one.variant.folder());
  value_or_throw(layer::add_used(*resolver.store(), application, {used}));
  try {
    if (are_units(request.source->text())) note_parts(request.source->text(), *device, resolver);
  } catch (const std::exception&) {
    log_failure("that a program's parts compile");  // it is built all the same
  }
  return explanation;
}

PrebuiltCall described(const UsedProgram& program, const Device& device, Layer& store) {
  PrebuiltCall built;
  built.kind = "program";
  if (const auto text = layer::used_text(store, program.text))
    built.name = layer::first_kernel(*text);
  if (built.name.empty()) built.name = program.text.brief();
  built.subject = program.options;
  built.device = device.name;
  return built;
}

/// For a message: what the local one of these layers has.
std::vector<std::string> applications_below(Layer* layer) {
  if (auto* several = dynamic_cast<LayeredStore*>(layer)) layer = several->local();
  auto* local = dynamic_cast<LocalStore*>(layer);
  if (local == nullptr) return {};
  return applications_in(local->list().value_or(std::vector<EntryInfo>{}));
}

}  // namespace

PrebuildResult prebuild_used_by(Runtime::State& runtime, std::string_view application,
                                const PrebuildOptions& options) {
  Resolver& resolver = runtime.resolver();
  if (resolver.store() == nullptr)
    throw Error(
        Errc::bad_input,
        "--store: found 'off', expected a folder: prebuild keeps its programs in the store");
  const UsageRecord programs = distinct(layer::used_programs(*resolver.store(), application));
  if (programs.empty()) throw nothing_of(application, applications_below(resolver.store()));
  const auto devices = distinct(runtime.devices());
  PrebuildResult result;
  for (const auto& program : programs)
    for (const auto& device : devices) {
      result.calls.push_back(described(program, *device, *resolver.store()));
      PrebuiltCall& built = result.calls.back();
      if (options.begin) options.begin(built, programs.size() * devices.size());
      try {
        const Explanation explanation = build(program, application, device, resolver);
        built.programs = 1;
        built.compiled = was_compiled(explanation) ? 1 : 0;
        result.keys.insert(explanation.key);
      } catch (const Error& error) {
        built.failure = error;
      } catch (const cl::Error& error) {
        built.failure = cl_error(error.what(), error.err());
      }
      result.compiled += built.compiled;
    }
  resolver.finish();
  return result;
}

PrebuildResult prebuild_used_by(const Runtime& runtime, std::string_view application,
                                const PrebuildOptions& options) {
  return prebuild_used_by(runtime.state(), application, options);
}

}  // namespace kiln
