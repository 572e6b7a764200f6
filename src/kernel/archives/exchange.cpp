#include "kernel/archives/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/program/program.hpp"
#include "store/trust/trust.hpp"

namespace kiln {
namespace {

Expected<void> check_place(const Resolver& resolver, const Device& device) {
  if (!device.pocl)
    return fail(Errc::unsupported,
                fmt::format("{} is not a device of PoCL: only PoCL has archives", device.name));
  if (resolver.store() == nullptr) return fail(Errc::unsupported, "the store is off");
  return {};
}

struct Slot {
  Bytes canonical;
  Key key;
};
Slot slot_of(Resolver& resolver, const Request& request, const Device& device) {
  Slot slot;
  slot.canonical = canonical_request(request, resolver.choose(request, device).parameters, device);
  slot.key = key_of(slot.canonical);
  return slot;
}

std::optional<Artifact> stored_artifact(const std::optional<Entry>& entry) {
  if (!entry) return {};
  auto artifact = decode_artifact(entry->content, entry->metadata.schema);
  if (!artifact || artifact->form != Artifact::Form::pocl_archive) return {};
  return std::move(*artifact);
}

/// PoCL 3.1 ends the process that loads invalid bitcode.
Expected<void> check_bitcode(const poclbin::File& file) {
  constexpr std::string_view magics[] = {"BC\xc0\xde", "\xde\xc0\x17\x0b"};
  for (const auto magic : magics)
    if (as_text(file.content).starts_with(magic)) return {};
  return fail(Errc::corrupt, fmt::format("{}: no LLVM bitcode", file.path));
}

/// What can be known about code without compiling or running it.
Expected<void> check_objects(const poclbin::Archive& archive) {
  for (const auto& entry : archive.root)
    for (const auto& file : entry)
      if (file.path == "/program.bc")
        if (auto fits = check_bitcode(file); !fits) return fits;
  for (const auto& kernel : archive.kernels)
    for (const auto& file : kernel.files) {
      if (!file.path.ends_with(".so")) continue;
      if (auto fits = poclbin::check_object(file.content, kernel.name); !fits)
        return fail(Errc::corrupt, fmt::format("{}: {}", file.path, fits.error().message()));
    }
  return {};
}

Expected<void> check_archive(const poclbin::Archive& archive, const Request& request,
                             const Device& device) {
  if (archive.device_id != poclbin::device_id(device.pocl_device_string))
    return fail(
        Errc::refused,
        fmt::format("the archive is for device {:#018x}; {} is {:#018x} ('{}')", archive.device_id,
                    device.name, poclbin::device_id(device.pocl_device_string),
                    device.pocl_device_string));
  for (const auto& name : request.kernels)
    if (archive.find(name) == nullptr)
      return fail(Errc::refused, fmt::format("the archive has no kernel '{}'", name));
  return check_objects(archive);
}

}  // namespace

Expected<Bytes> export_archive(Resolver& resolver, const Request& request, const Device& device) {
  if (auto fits = check_place(resolver, device); !fits) return tl::unexpected(fits.error());
  const auto slot = slot_of(resolver, request, device);
  resolver.finish();  // it may be on its way
  auto lookup = resolver.store()->get(Kind::artifact, slot.key, slot.canonical);
  auto artifact = stored_artifact(lookup.entry);
  if (!artifact)
    return fail(
        Errc::not_found,
        fmt::format("the store has no archive of {}: {}; a run puts it there", request.label,
                    lookup.entry ? "an entry of another kind" : lookup.reason));
  return std::move(artifact->binary);
}

Expected<Imported> import_archive(Resolver& resolver, const Request& request,
                                  const DevicePtr& device, ByteView bytes) {
  if (auto fits = check_place(resolver, *device); !fits) return tl::unexpected(fits.error());
  const auto archive = poclbin::parse(bytes);
  if (!archive) return tl::unexpected(archive.error());
  if (auto fits = check_archive(*archive, request, *device); !fits)
    return tl::unexpected(fits.error());

  Imported imported;
  for (const auto& kernel : archive->kernels) {
    imported.kernels.emplace_back(kernel.name);
    imported.variants += poclbin::variants(kernel).size();
  }
  const auto slot = slot_of(resolver, request, *device);
  resolver.finish();  // the program itself may be on its way
  Metadata metadata{artifact_schema, request.label, device->fingerprint(), 0};
  metadata.made_elsewhere = true;
  if (const Trust trust = default_trust(); trust.required)
    return fail(Errc::bad_input, "an archive carries no signature, and " + trust.origin +
                                     " asks for one; expected a signed pack (kiln store import)");
  try {
    // Loaded once: what the driver refuses must not become an entry. Under a build hash of its own:
    // the driver keeps what it has loaded by that, and would take it for another program's.
    const auto context = Context::create({device});
    Artifact artifact;
    artifact.form = Artifact::Form::pocl_archive;
    const std::string hash = poclbin::build_hash(blake2b(bytes).bytes);
    artifact.kernels = describe_kernels(
        load_binary(*context, *device, poclbin::rewrite(*archive, hash, nullptr), request.options));
    const auto change = [&](const std::optional<Entry>& entry) -> std::optional<Entry> {
      const auto present = stored_artifact(entry);
      imported.build_hash = archive->build_hash;
      imported.renewed = false;
      if (present &&
          std::equal(present->binary.begin(), present->binary.end(), bytes.begin(), bytes.end()))
        return {};
      const std::string own = poclbin::build_hash(slot.key.digest.bytes);
      const bool known = present || archive->build_hash == own;
      if (known) {
        imported.build_hash = hash;
        imported.renewed = true;
      }
      artifact.binary = poclbin::rewrite(*archive, imported.build_hash, nullptr);
      return Entry{encode(artifact), metadata};
    };
    auto kept = resolver.store()->update(Kind::artifact, slot.key, slot.canonical, change);
    if (!kept) return tl::unexpected(kept.error());
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
  return imported;
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
