// The store's side of the Resolver: an Artifact becomes a program, verified first.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "kernel/work.hpp"

namespace kiln {
namespace {

/// An archive is native code that the driver loads unchecked, so everything that can be known
/// about it is checked here.
Expected<void> verify_archive(ByteView archive, const std::string& device_string) {
  const auto parsed = poclbin::parse(archive);
  if (!parsed) return tl::unexpected(parsed.error());
  if (parsed->device_id != poclbin::device_id(device_string))
    return fail(Errc::corrupt, "the archive is for another device");
  return {};
}

/// `device_string`: Device::pocl_device_string, empty for other drivers' devices.
Expected<Artifact> decode_entry(const Entry& entry, const std::string& device_string) {
  if (entry.metadata.schema != artifact_schema)
    return fail(Errc::corrupt, fmt::format("artifact schema {}", entry.metadata.schema));
  auto artifact = decode_artifact(entry.content);
  if (!artifact) return artifact;
  const bool is_archive = artifact->form == Artifact::Form::pocl_archive;
  if (is_archive == device_string.empty())
    return fail(Errc::corrupt, "the artifact is of another driver");
  if (is_archive)
    if (auto verified = verify_archive(artifact->binary, device_string); !verified)
      return tl::unexpected(verified.error());
  return artifact;
}

/// A program that only tells what its archive holds.
Program probe_of(const Artifact& artifact) {
  Program::Parts parts;
  parts.kernels = artifact.kernels;
  if (artifact.form == Artifact::Form::pocl_archive) parts.archive = artifact.binary;
  return Program(std::move(parts));
}

/// Whether all that will be launched can be.
Expected<void> verify_startable(const Program& probe, const std::vector<KernelVariant>& wanted) {
  for (const auto& variant : wanted)
    if (auto startable = probe.startable(variant); !startable) return startable;
  return {};
}

bool has_what_is_wanted(const Program& probe, const std::vector<KernelVariant>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const KernelVariant& variant) { return probe.may_have(variant.kernel); });
}

/// The build hash of an archive that grows: it stays what it is, since an imported archive has one
/// of its own.
std::string hash_of(ByteView archive, const Key& key) {
  const auto parsed = poclbin::parse(archive);
  return parsed ? std::string(parsed->build_hash) : poclbin::build_hash(key.digest.bytes);
}

}  // namespace

Lookup Resolver::ask_store(Kind kind, const Key& key, ByteView canonical,
                           Explanation* explanation) {
  const auto started = now_ns();
  writes_.wait_for(kind, key);
  Lookup lookup = store_->get(kind, key, canonical);
  if (explanation == nullptr) return lookup;
  // A store of one layer leaves no trail: it is the answer.
  if (lookup.trail.empty())
    lookup.trail.push_back(
        {store_->name(), lookup.entry.has_value(), lookup.reason, started, now_ns()});
  if (const std::string near = lookup.entry ? std::string() : store_->near_miss(kind, canonical);
      !near.empty())
    lookup.trail.front().reason += "; " + near;
  for (const auto& answer : lookup.trail)
    explanation->steps.push_back(
        {answer.layer, answer.answered,
         answer.answered ? fmt::format("{} bytes", lookup.entry->content.size()) : answer.reason,
         answer.start_ns, answer.end_ns});
  return lookup;
}

bool Resolver::load_stored(Work& work) {
  if (!store_) return false;
  const auto warn = [&](const std::string& message) {
    if (!std::exchange(work.warned, true)) log(LogLevel::warning, message);
  };
  std::vector<KernelVariant> lacking;
  {
    auto lookup = ask_store(Kind::artifact, work.key, work.canonical, work.explanation);
    if (!lookup.entry) return false;
    auto artifact = decode_entry(*lookup.entry, work.device->pocl_device_string);
    if (!artifact) {
      take_back_answer(work.explanation, artifact.error().message());
      warn(fmt::format("store entry {} is not used: {}", work.key.digest.brief(),
                       artifact.error().message()));
      return false;
    }
    const Program probe = probe_of(*artifact);
    // No fault of the entry: an archive may have been shipped for some local sizes alone.
    if (auto startable = verify_startable(probe, work.wanted); !startable) {
      take_back_answer(work.explanation, startable.error().message());
      return false;
    }
    lacking = probe.missing(work.wanted);
    work.artifact = std::move(*artifact);
  }
  if (auto added = add_variants(work, lacking); !added) {
    warn(fmt::format("store entry {} is not used: {}", work.key.digest.brief(),
                     added.error().message()));
    work.artifact = {};
    work.stored_is_bad = true;
    return false;
  }
  StepTimer step(work.explanation, "load");
  try {
    work.handle =
        load_binary(*work.context, *work.device, work.artifact.binary, work.request.options);
    step.answered();
    return true;
  } catch (const Error& error) {
    step.missed(error.message());
    warn(fmt::format("{} does not take its stored binary: {}", work.device->name, error.message()));
    work.artifact = {};
    work.stored_is_bad = true;
    return false;
  }
}

/// A mounted source's binary becomes the program; what is wrong with it is no more than a miss.
bool Resolver::load_mounted(Work& work) {
  for (const auto& source : mounted_) {
    StepTimer step(work.explanation, source->name());
    auto found = source->find(work.request, *work.device);
    if (!found.artifact) {
      step.missed(found.reason);
      continue;
    }
    try {
      work.artifact = std::move(*found.artifact);
      if (work.device->pocl)
        value_or_throw(verify_archive(work.artifact.binary, work.device->pocl_device_string));
      value_or_throw(verify_startable(probe_of(work.artifact), work.wanted));
      work.handle =
          load_binary(*work.context, *work.device, work.artifact.binary, work.request.options);
      work.artifact.kernels = describe_kernels(work.handle);
      step.answered(fmt::format("{} bytes", work.artifact.binary.size()));
      return true;
    } catch (const Error& error) {
      work.artifact = {};
      step.missed(error.message());
      log(LogLevel::warning, fmt::format("{}: {} is not used: {}", source->name(),
                                         work.request.label, error.message()));
    }
  }
  return false;
}

/// Completes a stored archive with the variants that will be launched and that it lacks. An error
/// where the driver's compiler fails on the archive's own bitcode: it would at the launch, too.
Expected<void> Resolver::add_variants(Work& work, const std::vector<KernelVariant>& lacking) {
  if (lacking.empty()) return {};
  StepTimer step(work.explanation, "variant");
  ApartRequest request;
  request.archive = work.artifact.binary;
  request.options = work.request.options;
  request.label = work.request.label;
  request.build_hash = hash_of(work.artifact.binary, work.key);
  request.variants = lacking;
  auto made = compile_apart(*work.device, request);
  if (!made) {
    step.missed(made.error().message());
    if (fails_here_too(made.error())) return tl::unexpected(made.error());
    return {};  // the driver compiles it at the launch instead
  }
  work.artifact.binary = std::move(*made);
  work.cost_seconds = step.seconds();
  step.answered(fmt::format("{} added", lacking.size()));
  keep(work);
  return {};
}

/// Writes the Artifact back, beside the caller.
void Resolver::keep(Work& work) {
  if (!store_ || work.artifact.binary.empty()) return;
  // Who asked for a kernel that the source does not have is about to be told so; the entry would
  // carry that name from then on.
  if (!has_what_is_wanted(probe_of(work.artifact), work.wanted)) return;
  auto what = std::make_shared<Keeping>(
      Keeping{work.key, work.canonical, work.artifact, work.metadata(), work.request.label,
              work.device->pocl_device_string, work.stored_is_bad, std::move(work.right)});
  const Key key = what->key;
  const std::size_t bytes = what->canonical.size() + what->artifact.binary.size();
  writes_.add({Kind::artifact, key, bytes, [this, what = std::move(what)] { write(*what); }});
}

/// An archive is merged with what others put there meanwhile.
void Resolver::write(const Keeping& what) {
  const auto merged = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    const Entry alone{encode(what.artifact), what.metadata};
    const bool grows = what.artifact.form == Artifact::Form::pocl_archive;
    if (!present || !grows || what.replaces) return alone;
    auto old = decode_entry(*present, what.device_string);
    if (!old) return alone;
    auto both = poclbin::merge(old->binary, what.artifact.binary);
    if (!both) return alone;
    Artifact result = what.artifact;
    result.binary = std::move(*both);
    return Entry{encode(result), merged_metadata(present->metadata, alone.metadata)};
  };
  if (auto kept = store_->update(Kind::artifact, what.key, what.canonical, merged); !kept) {
    // A store that is unusable has said so itself, once; repeating it for every program helps
    // nobody.
    const auto level = kept.error().code() == Errc::io ? LogLevel::info : LogLevel::warning;
    log(level, fmt::format("{} is not kept: {}", what.label, kept.error().message()));
  }
}

void Resolver::make_variant(Program& program, const KernelVariant& variant) {
  ApartRequest request;
  const Bytes archive = program.archive();
  request.archive = archive;
  request.options = program.options();
  request.label = program.label();
  request.build_hash = hash_of(archive, program.key());
  request.variants = {variant};
  const auto give_up = [&](const Error& error) {
    log(LogLevel::info, fmt::format("variant {} of {}: {}", variant.variant.folder(),
                                    program.label(), error.message()));
  };
  auto made = compile_apart(*program.device(), request);
  if (!made && fails_here_too(made.error())) throw made.error();
  if (!made) {
    value_or_throw(can_compile_here(*program.device()));
    return give_up(made.error());
  }
  try {
    // Loading the merged archive once puts the new object where the driver looks at a launch.
    const auto context = Context::create({program.device()});
    load_binary(*context, *program.device(), *made, program.options());
    Request described{};
    described.label = program.label();
    const Parameters none;
    const std::vector<KernelVariant> wanted;
    Work work{described,
              none,
              context,
              program.device(),
              wanted,
              nullptr,
              program.key(),
              program.canonical(),
              {Artifact::Form::pocl_archive, program.kernels(), *made},
              {},
              0};
    keep(work);
    program.replace_archive(std::move(*made));
  } catch (const Error& error) {
    give_up(error);  // the launch compiles it instead
  }
}

}  // namespace kiln
