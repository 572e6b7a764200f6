#include "kernel/archives/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/expected.hpp"
#include "kernel/program/program.hpp"
#include "store/trust/trust.hpp"

namespace kiln {
namespace {

void check_place(const Resolver& resolver, const Device& device) {
  if (!device.pocl)
    throw Error(Errc::unsupported,
                fmt::format("{} is not a device of PoCL: only PoCL has archives", device.name));
  if (resolver.store() == nullptr) throw Error(Errc::unsupported, "the store is off");
}

struct Slot {
  Slot(Resolver& resolver, const Request& request, const Device& device)
      : canonical(canonical_request(request, resolver.choose(request, device).parameters, device)),
        key(key_of(canonical)) {
    resolver.finish();  // the program may be on its way
  }
  const Bytes canonical;
  const Key key;
};

std::optional<Artifact> stored_artifact(const std::optional<Entry>& entry) {
  if (!entry) return {};
  auto artifact = decode_artifact(entry->content, entry->metadata.schema);
  if (!artifact || artifact->form != Artifact::Form::pocl_archive) return {};
  return std::move(*artifact);
}

/// What can be known about code without compiling or running it. PoCL 3.1 ends the process that
/// loads invalid bitcode.
void check_objects(const poclbin::Archive& archive) {
  const auto is_bitcode = [](std::string_view content) {
    return content.starts_with("BC\xc0\xde") || content.starts_with("\xde\xc0\x17\x0b");
  };
  for (const auto& entry : archive.root)
    for (const auto& file : entry)
      if (file.path == "/program.bc" && !is_bitcode(as_text(file.content)))
        throw Error(Errc::corrupt, fmt::format("{}: no LLVM bitcode", file.path));
  for (const auto& kernel : archive.kernels)
    for (const auto& file : kernel.files) {
      if (!file.path.ends_with(".so")) continue;
      if (auto fits = poclbin::check_object(file.content, kernel.name); !fits)
        throw Error(Errc::corrupt, fmt::format("{}: {}", file.path, fits.error().message()));
    }
}

void check_archive(const poclbin::Archive& archive, const Request& request, const Device& device) {
  if (archive.device_id != poclbin::device_id(device.pocl_device_string))
    throw Error(
        Errc::refused,
        fmt::format("the archive is for device {:#018x}; {} is {:#018x} ('{}')", archive.device_id,
                    device.name, poclbin::device_id(device.pocl_device_string),
                    device.pocl_device_string));
  for (const auto& name : request.kernels)
    if (archive.find(name) == nullptr)
      throw Error(Errc::refused, fmt::format("the archive has no kernel '{}'", name));
  check_objects(archive);
}

Imported import_or_throw(Resolver& resolver, const Request& request, const DevicePtr& device,
                         ByteView bytes) {
  check_place(resolver, *device);
  const auto archive = value_or_throw(poclbin::parse(bytes));
  check_archive(archive, request, *device);
  Imported imported;
  for (const auto& kernel : archive.kernels) {
    imported.kernels.emplace_back(kernel.name);
    imported.variants += poclbin::variants(kernel).size();
  }
  const Slot slot(resolver, request, *device);
  Metadata metadata{artifact_schema, request.label, device->fingerprint(), 0};
  metadata.made_elsewhere = true;
  if (const Trust trust = default_trust(); trust.required)
    throw Error(Errc::bad_input, "an archive carries no signature, and " + trust.origin +
                                     " asks for one; expected a signed pack (kiln store import)");
  // Loaded once: what the driver refuses must not become an entry. Under a build hash of its own:
  // the driver keeps what it has loaded by that, and would take it for another program's.
  const auto context = Context::create({device});
  Artifact artifact;
  artifact.form = Artifact::Form::pocl_archive;
  const std::string hash = poclbin::build_hash(blake2b(bytes).bytes);
  artifact.kernels = describe_kernels(
      load_binary(*context, *device, poclbin::rewrite(archive, hash, nullptr), request.options));
  const auto change = [&](const std::optional<Entry>& entry) -> std::optional<Entry> {
    const auto present = stored_artifact(entry);
    if (present && std::ranges::equal(present->binary, bytes)) {
      imported.build_hash = archive.build_hash;
      imported.renewed = false;
      return {};
    }
    imported.renewed = present || archive.build_hash == poclbin::build_hash(slot.key.digest.bytes);
    imported.build_hash = imported.renewed ? hash : archive.build_hash;
    artifact.binary = poclbin::rewrite(archive, imported.build_hash, nullptr);
    return Entry{encode(artifact), metadata};
  };
  value_or_throw(resolver.store()->update(Kind::artifact, slot.key, slot.canonical, change));
  return imported;
}

}  // namespace

Expected<Bytes> export_archive(Resolver& resolver, const Request& request, const Device& device) {
  return expected_from([&] {
    check_place(resolver, device);
    const Slot slot(resolver, request, device);
    const auto lookup = resolver.store()->get(Kind::artifact, slot.key, slot.canonical);
    auto artifact = stored_artifact(lookup.entry);
    if (!artifact)
      throw Error(
          Errc::not_found,
          fmt::format("the store has no archive of {}: {}; a run puts it there", request.label,
                      lookup.entry ? "an entry of another kind" : lookup.reason));
    return std::move(artifact->binary);
  });
}

Expected<Imported> import_archive(Resolver& resolver, const Request& request,
                                  const DevicePtr& device, ByteView bytes) {
  return expected_from([&] { return import_or_throw(resolver, request, device, bytes); });
}

namespace {

const kdb::Record* find_record(const kdb::Database& database, const DatabaseKernel& wanted) {
  for (const auto& pattern : database.patterns) {
    if (pattern.name != wanted.pattern) continue;
    for (const auto& setting : pattern.settings)
      if (setting.type == wanted.type && setting.flags == wanted.flags && wanted.record >= 0 &&
          static_cast<std::size_t>(wanted.record) < setting.records.size())
        return &setting.records[static_cast<std::size_t>(wanted.record)];
  }
  return nullptr;
}

}  // namespace

Facts facts_of(const DatabaseKernel& kernel) {
  return {{"pattern", kernel.pattern},
          {"data type", kernel.type},
          {"flags", kernel.flags},
          {"record", kernel.record},
          {"kernel", kernel.slot}};
}

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
  const auto* wanted = request.payload.get_if<DatabaseKernel>();
  if (wanted == nullptr || wanted->slot < 0 || wanted->slot > 2)
    return {{}, "the program is of no pattern of clBLAS"};
  const auto* record = find_record(database_, *wanted);
  const ByteView binary =
      record ? kdb::kernel(database_, *record, static_cast<std::size_t>(wanted->slot)) : ByteView();
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
